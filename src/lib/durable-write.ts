/**
 * Writes files atomically: after a crash, a kill or a full disk a file has its old or its new content, never a part of either. Also appends
 * lines to files that several programs write to.
 */
import {
  close,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  open as openLater,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isCode } from "./system-error.ts";

export interface WriteOptions {
  /** The mode of the new file. Default: the mode of the file that it replaces; a new file is readable by its owner only. */
  readonly mode?: number;
  /**
   * "none": the file can be regenerated, so it may be lost in a power cut. The default survives one. "soon": the same in a moment, without
   * anybody waiting for the disk; for a file whose readers take a damaged one for the safest content.
   */
  readonly sync?: "disk" | "soon" | "none";
  /** Called when the new content is ready, before it replaces the old one: if it throws, the old content stays. */
  readonly beforeReplace?: () => void;
}

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
/** Non-blocking: a pipe at this path must not block the server. */
const appending = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK;
const newline = 10;
/** A temporary file older than any write could take was left by a process that died. */
const staleMs = 10 * 60_000;

/** Replaces the file's content with `data`; creates a missing folder. A symlink stays, and its target is replaced. */
export function replaceFileSync(file: string, data: string | Uint8Array, options: WriteOptions = {}): void {
  const target = realTarget(file);
  removeStaleDrafts(dirname(target), basename(target));
  const draft = writeDraft(target, data, options);
  try {
    options.beforeReplace?.();
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncNames(target, options);
}

function syncNames(file: string, { sync = "disk" }: WriteOptions): void {
  if (sync === "disk") syncFolder(dirname(file));
  else if (sync === "soon") for (const each of [file, dirname(file)]) syncSoon(each);
}

/** Where it fails, a power cut may still lose the file. */
function syncSoon(file: string): void {
  openLater(file, "r", (error, fd) => {
    if (error === null) fsync(fd, () => close(fd, () => {}));
  });
}

/** The same for content that arrives in pieces. */
export async function replaceFile(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const target = realTarget(file);
  const draft = draftOf(target);
  try {
    const handle = await open(draft, newFile, 0o600);
    try {
      for await (const piece of pieces) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(target));
}

/** Creates a new file; throws EEXIST when it exists. No reader ever sees a part of it. */
export function createFileSync(file: string, data: string | Uint8Array, options: WriteOptions = {}): void {
  const draft = writeDraft(file, data, options);
  try {
    linkOrRename(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  syncNames(file, options);
}

/** The same without blocking the event loop, for large contents. Survives a crash of the process, not a power cut. */
export async function createFile(file: string, data: Uint8Array): Promise<void> {
  const draft = draftOf(file);
  try {
    const handle = await open(draft, newFile, 0o600);
    try {
      await handle.writeFile(data);
    } finally {
      await handle.close();
    }
    linkOrRename(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Appends one line. When an earlier write stopped in the middle of a line, because the disk was full or the process died, the new line
 * starts on its own. Throws when it could not be written completely; the next line is intact all the same. Not through the thread pool: a
 * line goes into the page cache in a fraction of the time that the way to the pool and back takes, once for each of five calls.
 */
export function appendLineSync(file: string, line: string): Appended {
  const fd = openToAppend(file);
  let isWritten = false;
  try {
    const { size, ino } = regular(file, fstatSync(fd));
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== newline;
    const bytes = Buffer.from(`${isTorn ? "\n" : ""}${line}\n`);
    writeAll(fd, bytes);
    isWritten = true;
    const end = fstatSync(fd).size;
    return { inode: ino, from: size, to: end, isAlone: end === size + bytes.length };
  } finally {
    if (!isWritten) removeIfEmpty(fd, file);
    closeSync(fd);
  }
}

/** Between which sizes a file grew by a line. */
export interface Appended {
  readonly inode: number;
  readonly from: number;
  readonly to: number;
  /** Nobody else wrote between the two. */
  readonly isAlone: boolean;
}

/** A file that was only opened before a full disk refused its first line is removed again; readers would take it for a damaged one. */
export function removeIfEmpty(fd: number, file: string): void {
  const stats = fstatSync(fd);
  const isEmpty = stats.isFile() && stats.size === 0 && stats.nlink > 0;
  if (isEmpty && lstatSync(file, { throwIfNoEntry: false })?.ino === stats.ino) rmSync(file, { force: true });
}

const draftOf = (file: string): string => `${file}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;

function realTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    // A dangling symlink points to the file that is created now.
    const isLink = isCode(error, "ENOENT") && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? resolve(dirname(file), readlinkSync(file)) : file;
  }
}

/** In the target's folder, so that it can be renamed over it. Removed again when it cannot be written completely. */
function writeDraft(target: string, data: string | Uint8Array, { mode, sync = "disk" }: WriteOptions): string {
  const folder = dirname(target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const old = statSync(target, { throwIfNoEntry: false });
  if (old !== undefined) regular(target, old);
  const draft = draftOf(target);
  const fd = openSync(draft, newFile, 0o600);
  try {
    try {
      writeAll(fd, typeof data === "string" ? Buffer.from(data) : data);
      takeOver(fd, old, mode);
      if (sync === "disk") fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return draft;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The system may write fewer bytes than requested, and reports the reason only on the next call. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const count = writeSync(fd, bytes, at, bytes.length - at);
    if (count === 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    at += count;
  }
}

/** Keeps the old file's owner and mode, as far as this account may set them. */
function takeOver(fd: number, old: Stats | undefined, mode: number | undefined): void {
  const made = fstatSync(fd);
  if (old !== undefined && (old.uid !== made.uid || old.gid !== made.gid)) {
    try {
      fchownSync(fd, old.uid, old.gid);
    } catch (error) {
      if (!isCode(error, "EPERM", "EINVAL", "ENOSYS")) throw error;
    }
  }
  const newMode = mode ?? (old === undefined ? 0o600 : old.mode & 0o777);
  if (newMode !== (made.mode & 0o777)) fchmodSync(fd, newMode);
}

/** link fails when the name exists, whereas rename would replace it. Some file systems have no hard links. */
function linkOrRename(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw error;
    if (statSync(file, { throwIfNoEntry: false }) !== undefined)
      throw Object.assign(new Error(`EEXIST: file already exists, ${file}`), { code: "EEXIST" });
    renameSync(draft, file);
  }
}

function removeStaleDrafts(folder: string, name: string): void {
  for (const entry of entriesIn(folder)) {
    if (!entry.startsWith(`${name}.`) || !/^\d+-\w+\.tmp$/.test(entry.slice(name.length + 1))) continue;
    const draft = join(folder, entry);
    const stats = statSync(draft, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > staleMs) rmSync(draft, { force: true });
  }
}

function entriesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // created with the first file
  }
}

function openToAppend(file: string): number {
  try {
    return openSync(file, appending, 0o600);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, appending, 0o600);
  }
}

/** A pipe or a device at this path accepts the data and keeps nothing. */
function regular(file: string, stats: Stats): Stats {
  if (stats.isFile()) return stats;
  throw Object.assign(new Error(`${file} is not a regular file`), { code: "ENOTFILE" });
}

/** The new name survives a power cut only when the folder is synced too. Some systems do not support that. */
function syncFolder(folder: string): void {
  let fd: number;
  try {
    fd = openSync(folder, constants.O_RDONLY);
  } catch {
    return;
  }
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!isCode(error, "EINVAL", "EISDIR", "EPERM", "EACCES", "EBADF", "ENOTSUP")) throw error;
  } finally {
    closeSync(fd);
  }
}
