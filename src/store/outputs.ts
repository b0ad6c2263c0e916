/**
 * `$CODEX_HOME/parley/outputs`: complete tool results of which the model got a part. Readable only by the owner, and bounded in number,
 * size and age.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rm } from "node:fs/promises";
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
const blockBytes = 256 * 1024;
/** How many of them are written at once: on a busy machine each way through the thread pool takes longer than the writing. */
const blocksAtOnce = 16;
/** More are not gathered: the command waits. Without it all of a file's 16 MB came to wait while the disk, or the thread pool, was busy. */
const mostWaiting = 8;
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

interface Block {
  readonly buffer: Buffer<ArrayBuffer>;
  used: number;
}

export interface OutputFilesParts {
  readonly codexHome: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createOutputFiles({ codexHome, clock, log }: OutputFilesParts): OutputFiles {
  const folder = path.join(codexHome, "parley", "outputs");
  let kept = 0;
  const create = async (name: string, bytes: Uint8Array): Promise<string> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (kept++ % cleanEvery === 0) await clean(folder, clock.now());
    return await createUnder(folder, name, bytes);
  };
  const failed = (error: unknown): undefined => void log.warn("a long tool result could not be kept", { error: String(error) });
  return {
    async keep(name, text) {
      const bytes = Buffer.from(text);
      const file = await create(name, bytes.subarray(0, maxFileBytes)).catch(failed);
      return file === undefined ? undefined : { path: file, isWhole: bytes.length <= maxFileBytes };
    },
    open: (name) => new Sink((bytes) => create(name, bytes), failed),
  };
}

/**
 * Writes pieces one after another; the first creates the file. What comes while one is being written is gathered in blocks, which are used
 * again: a command writes faster than small pieces can go through the thread pool one by one, and the copies that wait would be the largest
 * part of the server's memory. Open only while it writes, since some commands never end.
 */
class Sink implements OutputSink {
  readonly #create: (bytes: Uint8Array) => Promise<string>;
  readonly #failed: (error: unknown) => undefined;
  #file: string | undefined;
  readonly #waiting: Block[] = [];
  readonly #spare: Block[] = [];
  #writing: Promise<void> | undefined;
  /** Resolved when fewer blocks wait. */
  #room: PromiseWithResolvers<void> | undefined;
  #bytes = 0;
  #hasFailed = false;

  constructor(create: (bytes: Uint8Array) => Promise<string>, failed: (error: unknown) => undefined) {
    this.#create = create;
    this.#failed = failed;
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    const room = maxFileBytes - this.#bytes;
    this.#bytes += bytes.length;
    if (room <= 0 || bytes.length === 0 || this.#hasFailed) return undefined;
    this.#gather(bytes.length <= room ? bytes : bytes.subarray(0, room));
    this.#writing ??= this.#writeAll();
    if (this.#waiting.length < mostWaiting) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }
  async end(): Promise<KeptOutput | undefined> {
    await this.#writing;
    free(this.#spare.splice(0));
    return this.#file === undefined || this.#hasFailed ? undefined : { path: this.#file, isWhole: this.#bytes <= maxFileBytes };
  }

  #gather(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const last = this.#waiting.at(-1);
      const block = last !== undefined && last.used < blockBytes ? last : this.#addBlock();
      const room = blockBytes - block.used;
      const part = at === 0 && piece.length <= room ? piece : piece.subarray(at, at + room);
      block.buffer.set(part, block.used);
      block.used += part.length;
      at += part.length;
    }
  }
  #addBlock(): Block {
    const block = this.#spare.pop() ?? { buffer: Buffer.allocUnsafeSlow(blockBytes), used: 0 };
    this.#waiting.push(block);
    return block;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        if (this.#file === undefined) this.#file = await this.#begin();
        else await this.#append(this.#file);
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#waiting.length = 0;
      this.#failed(error);
    }
    free(this.#spare.splice(1));
    this.#writing = undefined;
    this.#makeRoom();
  }
  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
  async #append(file: string): Promise<void> {
    const handle = await open(file, appending);
    try {
      while (this.#waiting.length > 0) {
        const blocks = this.#waiting.splice(0, blocksAtOnce);
        this.#makeRoom();
        await appendAll(handle, blocks.map(bytesOf));
        this.#reuse(blocks);
      }
    } finally {
      await handle.close();
    }
  }
  async #begin(): Promise<string> {
    const [first] = this.#waiting.splice(0, 1);
    if (first === undefined) throw new Error("there is nothing to write");
    const file = await this.#create(bytesOf(first));
    this.#reuse([first]);
    return file;
  }
  #reuse(blocks: readonly Block[]): void {
    for (const { buffer } of blocks) this.#spare.push({ buffer, used: 0 });
  }
}

/** At once, and not when V8 next collects what is long-lived: it does not count these bytes as its own. */
function free(blocks: readonly Block[]): void {
  for (const { buffer } of blocks) buffer.buffer.transfer(0);
}

const bytesOf = ({ buffer, used }: Block): Buffer => buffer.subarray(0, used);

/** The system may take fewer bytes than it was given. */
export async function appendAll(handle: Pick<FileHandle, "writev">, pieces: readonly Buffer[]): Promise<void> {
  let left = pieces;
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left);
    if (bytesWritten === 0) throw new Error("the disk takes nothing more");
    left = from(left, bytesWritten);
  }
}

function from(pieces: readonly Buffer[], start: number): readonly Buffer[] {
  let at = start;
  const rest: Buffer[] = [];
  for (const piece of pieces) {
    if (at < piece.length) rest.push(piece.subarray(at));
    at = Math.max(0, at - piece.length);
  }
  return rest;
}

/** Names come from models: other characters than plain letters are replaced, and a name that exists gets a number. */
async function createUnder(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(-80) || "output";
  for (let number = 0; ; number++) {
    const file = path.join(folder, `${plain}${number === 0 ? "" : `.${number}`}.txt`);
    try {
      await createFile(file, bytes);
      return file;
    } catch (error) {
      if (!isCode(error, "EEXIST") || number >= maxFiles) throw error;
    }
  }
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
