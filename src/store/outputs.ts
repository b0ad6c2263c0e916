/**
 * `$CODEX_HOME/parley/outputs`: complete tool results of which the model got a part. Readable only by the owner, and bounded in number,
 * size and age.
 */
import { appendFileSync, closeSync, constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { KeptOutput, OutputFiles, OutputSink } from "../core/ports/output-files.ts";
import { createFile } from "../lib/durable-write.ts";
import { isCode } from "../lib/system-error.ts";

const maxFileBytes = 16 * 1024 * 1024;
const maxFiles = 400;
const maxTotalBytes = 256 * 1024 * 1024;
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
/** Scanning the folder is not free. */
const cleanEvery = 20;

export interface OutputFilesParts {
  readonly codexHome: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createOutputFiles({ codexHome, clock, log }: OutputFilesParts): OutputFiles {
  const folder = path.join(codexHome, "parley", "outputs");
  let kept = 0;
  const cleanNow = async (): Promise<void> => {
    if (kept++ % cleanEvery === 0) await clean(folder, clock.now());
  };
  const create = async (name: string, bytes: Uint8Array): Promise<string> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await cleanNow();
    return await underFreeName(folder, name, (file) => createFile(file, bytes));
  };
  const failed = (error: unknown): undefined => void log.warn("a long tool result could not be kept", { error: String(error) });
  return {
    async keep(name, text) {
      const bytes = Buffer.from(text);
      const file = await create(name, bytes.subarray(0, maxFileBytes)).catch(failed);
      return file === undefined ? undefined : { path: file, isWhole: bytes.length <= maxFileBytes };
    },
    open: (name) => new Sink(folder, name, { cleanNow, failed }),
  };
}

interface SinkParts {
  readonly cleanNow: () => Promise<void>;
  readonly failed: (error: unknown) => undefined;
}

/**
 * Writes each piece when it comes; the first creates the file. Not through the thread pool: a command fills it faster than the pool takes
 * pieces away, and the copies that wait would be the largest part of the server's memory. Open only while it writes, since some commands
 * never end.
 */
class Sink implements OutputSink {
  readonly #folder: string;
  readonly #name: string;
  readonly #parts: SinkParts;
  #file: string | undefined;
  #cleaned: Promise<void> | undefined;
  #bytes = 0;
  #hasFailed = false;

  constructor(folder: string, name: string, parts: SinkParts) {
    this.#folder = folder;
    this.#name = name;
    this.#parts = parts;
  }

  write(bytes: Uint8Array): void {
    const piece = bytes.subarray(0, Math.max(0, maxFileBytes - this.#bytes));
    this.#bytes += bytes.length;
    if (piece.length === 0 || this.#hasFailed) return;
    try {
      if (this.#file === undefined) this.#create(piece);
      else append(this.#file, piece);
    } catch (error) {
      this.#hasFailed = true;
      this.#parts.failed(error);
    }
  }
  async end(): Promise<KeptOutput | undefined> {
    await this.#cleaned;
    return this.#file === undefined || this.#hasFailed ? undefined : { path: this.#file, isWhole: this.#bytes <= maxFileBytes };
  }

  #create(piece: Uint8Array): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#file = freeName(this.#folder, this.#name, (file) => writeFileSync(file, piece, { flag: "wx", mode: 0o600 }));
    this.#cleaned = this.#parts.cleanNow().catch(this.#parts.failed);
  }
}

function append(file: string, bytes: Uint8Array): void {
  const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    appendFileSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

/** Names come from models: other characters than plain letters are replaced, and a name that exists gets a number. */
function* namesFor(folder: string, name: string): Generator<string> {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(-80) || "output";
  for (let number = 0; number <= maxFiles; number++) yield path.join(folder, `${plain}${number === 0 ? "" : `.${number}`}.txt`);
}
const noFreeName = (name: string): Error => new Error(`there are too many outputs named ${name}`);

async function underFreeName(folder: string, name: string, create: (file: string) => Promise<void>): Promise<string> {
  for (const file of namesFor(folder, name)) {
    try {
      await create(file);
      return file;
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
  }
  throw noFreeName(name);
}
function freeName(folder: string, name: string, create: (file: string) => void): string {
  for (const file of namesFor(folder, name)) {
    try {
      create(file);
      return file;
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
  }
  throw noFreeName(name);
}

/** Removes old files, then the oldest until the rest is within the bounds. */
async function clean(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const { mtimeMs, size } = await lstat(file).catch(() => ({ mtimeMs: 0, size: 0 }));
      return { file, mtimeMs, size };
    }),
  );
  let files = 0;
  let bytes = 0;
  for (const { file, mtimeMs, size } of found.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    files++;
    bytes += size;
    // Leaves room for the files created before the next scan.
    if (files > maxFiles - cleanEvery || bytes > maxTotalBytes || now - mtimeMs > maxAgeMs) await rm(file, { force: true });
  }
}
