/**
 * Real pipes for the output of commands. Node gives its children sockets, which cannot be reopened as /dev/stdout or /dev/stderr, and some
 * scripts do that. Named pipes are created in batches in a folder of the server's own, then opened and unlinked at once. Not used for
 * input: reopening a named pipe for reading would block forever once its writer is gone.
 */
import { execFile } from "node:child_process";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { findRealPath } from "../lib/file-status.ts";
import { isInside } from "../lib/paths.ts";
import { findSystemProgram } from "../lib/program.ts";
import { isAlive } from "./processes.ts";

/** Few for the first command, which waits for them; many later, because each batch starts a process. */
const firstBatch = 32;
const laterBatch = 512;
const refillBelow = 16;
const pipeBytes = 64 * 1024;
/** The size that is written to a file completely or not at all. */
const pageBytes = 4096;
/** In memory, and invisible to confined commands, which get a new one of their own. */
const memoryFolder = "/dev/shm";

/** Both ends of a pipe, as file descriptors of the server. */
export interface PipeEnds {
  readonly read: number;
  readonly write: number;
}

export class PipePool {
  readonly #fallback: string;
  #folder: string | undefined;
  #ready: string[] = [];
  #series = 0;
  #making: Promise<void> | undefined;
  #scratch: Buffer | undefined;
  #lent = 0;

  /** `fallback` is where pipes are created if the machine has no folder in memory; only the server's user may enter it. */
  constructor(fallback: string) {
    this.#fallback = fallback;
  }

  /** Contains unused pipes; must be removed when the server dies. */
  get folder(): string | undefined {
    return this.#folder;
  }

  /** A pipe-sized buffer that all readers share: each consumes what it read before the next one reads. */
  get scratch(): Buffer {
    this.#scratch ??= Buffer.allocUnsafeSlow(pipeBytes);
    return this.#scratch;
  }

  /** Resolves when pipes are ready, or cannot be created. */
  async prepare(): Promise<void> {
    if (this.#ready.length === 0) await this.#make();
  }

  /** Undefined if none is available: the caller then uses Node's sockets. */
  take(): PipeEnds | undefined {
    if (this.#ready.length < refillBelow) void this.#make();
    for (let file = this.#ready.pop(); file !== undefined; file = this.#ready.pop()) {
      const ends = openEnds(file);
      if (ends !== undefined) return ends;
    }
    return undefined;
  }

  /** The same by name, for two processes that open one end each; whoever opens the last one unlinks it. */
  takeNames(count: number): readonly string[] | undefined {
    if (this.#ready.length < refillBelow + count) void this.#make();
    return this.#ready.length < count ? undefined : this.#ready.splice(-count);
  }

  /**
   * A file descriptor to read the bytes from, private to the process that inherits it; the caller closes it. Undefined if it cannot be
   * created.
   */
  lend(bytes: Uint8Array): number | undefined {
    if (this.#folder === undefined) return undefined;
    const file = path.join(this.#folder, `pipe-bytes-${this.#lent++}`);
    let fd: number | undefined;
    try {
      fd = openSync(file, "wx+", 0o600);
      unlinkSync(file);
      writeWhole(fd, bytes);
      return fd;
    } catch {
      if (fd !== undefined) closeSync(fd);
      unlinkQuietly(file);
      return undefined;
    }
  }

  /** Removes the unused pipes. */
  close(): void {
    this.#ready = [];
    if (this.#folder !== undefined) removePipes(this.#folder);
    this.#folder = undefined;
  }

  #make(): Promise<void> {
    this.#making ??= this.#makeBatch().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makeBatch(): Promise<void> {
    const mkfifo = findSystemProgram("mkfifo");
    if (mkfifo === undefined) return;
    try {
      this.#folder ??= makeFolder(this.#fallback);
    } catch {
      return; // A read-only home: commands then get sockets.
    }
    const folder = this.#folder;
    const series = this.#series++;
    const files = Array.from({ length: series === 0 ? firstBatch : laterBatch }, (_, i) => path.join(folder, `pipe-${series}-${i}`));
    const isMade = await new Promise<boolean>((resolve) => {
      execFile(mkfifo, ["-m", "600", "--", ...files], { cwd: "/", env: {}, timeout: 5_000 }, (error) => resolve(error === null));
    });
    if (isMade && this.#folder === folder) this.#ready.push(...files);
    else removePipes(folder);
  }
}

/**
 * For a lent descriptor: written at explicit positions, so that the reader begins at the start. Throws if there is no space for all bytes:
 * half of a sandbox's options would be half a sandbox. The start is written last and in one piece: if the server is killed while writing,
 * nothing is left that looks complete.
 */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  const start = Math.min(bytes.length, pageBytes);
  const written = (bytes.length > start ? writeSync(fd, bytes, start, bytes.length - start, start) : 0) + writeSync(fd, bytes, 0, start, 0);
  if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes found room`);
}

/** A new folder with an unguessable name that only this user may enter. Also removes the folders of servers that were killed. */
function makeFolder(fallback: string): string {
  const inMemory = isUsable(memoryFolder);
  const parent = inMemory ? memoryFolder : fallback;
  if (!inMemory) mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    const pid = /^parley-(\d+)-/.exec(name)?.[1];
    const at = path.join(parent, name);
    if (pid === undefined || isAlive(Number(pid))) continue;
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) removePipes(at); // never through a link
  }
  return mkdtempSync(path.join(parent, `parley-${process.pid}-`));
}

/** Not inside the temporary folder of commands. */
function isUsable(folder: string): boolean {
  const temporary = process.env["TMPDIR"];
  if (temporary !== undefined && isInside(findRealPath(temporary) ?? temporary, folder)) return false;
  try {
    return lstatSync(folder).isDirectory();
  } catch {
    return false;
  }
}

function openEnds(file: string): PipeEnds | undefined {
  let read: number | undefined;
  try {
    // Opens without waiting for a writer; the write end then finds a reader.
    read = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!fstatSync(read).isFIFO()) throw new Error("not a pipe");
    const write = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    return { read, write };
  } catch {
    if (read !== undefined) closeSync(read);
    return undefined;
  } finally {
    unlinkQuietly(file);
  }
}

function removePipes(folder: string): void {
  try {
    for (const name of readdirSync(folder)) if (name.startsWith("pipe-")) unlinkQuietly(path.join(folder, name));
    rmdirSync(folder);
  } catch {
    // Another process removed it.
  }
}

function unlinkQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Already gone.
  }
}
