/**
 * Reads files that others wrote or named: a project, a repository, a plugin, a model, another program on the same home. Accepts regular
 * files only, never blocks on a pipe or a device, and never reads more than the caller's limit.
 */
import { close, closeSync, constants, fstat, fstatSync, lstatSync, open, openSync, read, readSync, type Stats, statSync } from "node:fs";
import { promisify } from "node:util";

export interface ReadOptions {
  /** What to do with a file that is larger: "refuse" it (the default) or "cut" it at the limit. */
  readonly beyond?: "refuse" | "cut";
  /** "refuse" where a symlink must not lead elsewhere. */
  readonly links?: "follow" | "refuse";
}

/** Why an existing file is not read. The message names the file and can be shown to users; the reason is the rest of that sentence. */
export class UnfitFile extends Error {
  readonly code: "ENOTFILE" | "EFBIG" | "ELOOP";
  readonly reason: string;
  constructor(code: UnfitFile["code"], file: string, reason: string) {
    super(`${file} ${reason}`);
    this.code = code;
    this.reason = reason;
  }
}

/** Throws UnfitFile or the system's error (ENOENT, EACCES …). */
export function readBoundedSync(file: string, maxBytes: number, options: ReadOptions = {}): Buffer {
  const opened = openRegularSync(file, options);
  try {
    const filled = new Filling(file, opened.stats.size, maxBytes, options);
    while (filled.hasRoom) if (filled.add(readSync(opened.fd, filled.buffer, filled.length, filled.room, filled.length)) === 0) break;
    return filled.bytes();
  } finally {
    closeSync(opened.fd);
  }
}

/** The same, without blocking the event loop. */
export async function readBounded(file: string, maxBytes: number, options: ReadOptions = {}): Promise<Buffer> {
  const opened = await openRegular(file, options);
  try {
    return await readOpened(opened, file, maxBytes, options);
  } finally {
    close(opened.fd, ignore);
  }
}

/** For a file that is already open; `file` is its name in messages. */
export async function readOpened({ fd, stats }: OpenedFile, file: string, maxBytes: number, options: ReadOptions = {}): Promise<Buffer> {
  const filled = new Filling(file, stats.size, maxBytes, options);
  while (filled.hasRoom) if (filled.add(await readInto(fd, filled.buffer, filled.length, filled.room)) === 0) break;
  return filled.bytes();
}

export const readBoundedTextSync = (file: string, maxBytes: number, options: ReadOptions = {}): string =>
  readBoundedSync(file, maxBytes, options).toString("utf8");
export const readBoundedText = async (file: string, maxBytes: number, options: ReadOptions = {}): Promise<string> =>
  (await readBounded(file, maxBytes, options)).toString("utf8");

/** For files that usually do not exist: looking first is much cheaper than an error. Throws the system's error where it cannot be known. */
export const isMissing = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) === undefined;

export interface OpenedFile {
  /** The caller must close it. */
  readonly fd: number;
  readonly stats: Stats;
}

/** Opens a regular file to be read in pieces. */
export function openRegularSync(file: string, options: ReadOptions = {}): OpenedFile {
  checkPlace(file, options);
  const fd = openSync(file, flagsFor(options));
  try {
    const stats = fstatSync(fd);
    checkKind(file, stats);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export async function openRegular(file: string, options: ReadOptions = {}): Promise<OpenedFile> {
  checkPlace(file, options);
  const fd = await promisify(open)(file, flagsFor(options));
  try {
    const stats = await promisify(fstat)(fd);
    checkKind(file, stats);
    return { fd, stats };
  } catch (error) {
    close(fd, ignore);
    throw error;
  }
}

/** Returns the number of bytes read; fewer than requested only at the end, or where the system returns them in pieces. */
export function readInto(fd: number, buffer: Buffer, at: number, length: number, position = at): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, at, length, position, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

const ignore = (): void => {};

/**
 * Checked before opening: merely opening has side effects on some devices, and unblocks a process that waits to write to a pipe. Synchronous
 * in both variants, since a stat takes microseconds.
 */
function checkPlace(file: string, { links }: ReadOptions): void {
  const stats = links === "refuse" ? lstatSync(file) : statSync(file);
  if (stats.isSymbolicLink()) throw new UnfitFile("ELOOP", file, "is a symbolic link");
  checkKind(file, stats);
}

/** Checked again once it is open: the path may have been replaced by another file in between. */
function checkKind(file: string, stats: Stats): void {
  if (!stats.isFile()) throw new UnfitFile("ENOTFILE", file, `is ${kindOf(stats)}, not a regular file`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

function flagsFor({ links }: ReadOptions): number {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
  return O_RDONLY | O_NONBLOCK | O_NOCTTY | (links === "refuse" ? O_NOFOLLOW : 0);
}

/** The reported size is only a hint: the file may grow while it is read, and kernel files report 0. */
const firstGuess = 16 * 1024;

class Filling {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #isCut: boolean;
  buffer: Buffer;
  length = 0;

  constructor(file: string, size: number, maxBytes: number, { beyond }: ReadOptions) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#isCut = beyond === "cut";
    if (size > maxBytes && !this.#isCut) throw this.#tooLarge();
    this.buffer = Buffer.allocUnsafeSlow(Math.min(size === 0 ? firstGuess : size + 1, maxBytes + 1));
  }

  get room(): number {
    return this.buffer.length - this.length;
  }
  get hasRoom(): boolean {
    if (this.room === 0 && this.length <= this.#maxBytes) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.length * 4, this.#maxBytes + 1));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    return this.room > 0;
  }
  add(count: number): number {
    this.length += count;
    return count;
  }
  bytes(): Buffer {
    if (this.length > this.#maxBytes && !this.#isCut) throw this.#tooLarge();
    return this.buffer.subarray(0, Math.min(this.length, this.#maxBytes));
  }

  #tooLarge(): UnfitFile {
    return new UnfitFile("EFBIG", this.#file, `is larger than ${sizeText(this.#maxBytes)}`);
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 / 1024)} MiB`;
}
