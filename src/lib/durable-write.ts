/**
 * Writes files that must be whole: after a crash, a kill or a full disk a file is the old one or the new one, never a part of either. Also adds
 * lines to files that several programs append to.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
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
  /** The rights of the new file. Without them it keeps those of the file that it replaces; a new one is its owner's alone. */
  readonly mode?: number;
  /** "none": the file can be made again, so that a power cut may cost it. The standard outlives one. */
  readonly sync?: "disk" | "none";
  /** Called when the new content lies ready, before it takes the place of the old one: what it throws leaves the old one as it was. */
  readonly beforeReplace?: () => void;
}

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
/** Not blocking: a pipe under this name must not hold the server. */
const appending = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK;
const newline = 10;
/** A draft that is older than any write could last was left by a process that died. */
const staleMs = 10 * 60_000;

/** Puts `data` in the place of the file, whose folder is made if it is missing. A link stays, and what it leads to is replaced. */
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
  if (options.sync !== "none") syncFolder(dirname(target));
}

/** The same with content that comes piece by piece. */
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

/** Makes a file that is not there yet; throws EEXIST when it is. Nobody ever sees a part of it. */
export function createFileSync(file: string, data: string | Uint8Array, options: WriteOptions = {}): void {
  const draft = writeDraft(file, data, options);
  try {
    linkOrRename(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  if (options.sync !== "none") syncFolder(dirname(file));
}

/** The same without holding up the others, for contents that may be large. Outlives a crash of the process, not a power cut. */
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
 * Adds one line. When somebody's write ended in the middle of a line, because the disk was full or the process died, the new line begins on
 * its own. Throws when not all of it could be written; the next line is whole all the same.
 */
export function appendLineSync(file: string, line: string): void {
  const fd = openToAppend(file);
  try {
    const { size } = regular(file, fstatSync(fd));
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== newline;
    writeAll(fd, Buffer.from(`${isTorn ? "\n" : ""}${line}\n`));
  } finally {
    closeSync(fd);
  }
}

/** The same without holding up the others. */
export async function appendLine(file: string, line: string): Promise<void> {
  const handle = await open(file, appending, 0o600).catch(async (error: unknown) => {
    if (!isCode(error, "ENOENT")) throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return open(file, appending, 0o600);
  });
  try {
    const { size } = regular(file, await handle.stat());
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && (await handle.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] !== newline;
    await handle.writeFile(`${isTorn ? "\n" : ""}${line}\n`);
  } finally {
    await handle.close();
  }
}

const draftOf = (file: string): string => `${file}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;

function realTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    // A link that leads to nothing yet leads to the file that is made now.
    const isLink = isCode(error, "ENOENT") && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? resolve(dirname(file), readlinkSync(file)) : file;
  }
}

/** Beside the target, so that it can take its place in one step. Gone again when it cannot be written whole. */
function writeDraft(target: string, data: string | Uint8Array, { mode, sync }: WriteOptions): string {
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
      if (sync !== "none") fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return draft;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The system may take fewer bytes than it is given, and says why only when it is asked again. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const count = writeSync(fd, bytes, at, bytes.length - at);
    if (count === 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    at += count;
  }
}

/** Owner and rights stay those of the old file, as far as this account may set them. */
function takeOver(fd: number, old: Stats | undefined, mode: number | undefined): void {
  const made = fstatSync(fd);
  if (old !== undefined && (old.uid !== made.uid || old.gid !== made.gid)) {
    try {
      fchownSync(fd, old.uid, old.gid);
    } catch (error) {
      if (!isCode(error, "EPERM", "EINVAL", "ENOSYS")) throw error;
    }
  }
  const wanted = mode ?? (old === undefined ? 0o600 : old.mode & 0o777);
  if (wanted !== (made.mode & 0o777)) fchmodSync(fd, wanted);
}

/** Linking fails when the name is taken, renaming would replace what is there. Some file systems have no links. */
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
    return []; // made with the first file
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

/** A pipe or a device of that name takes what it is given and keeps nothing. */
function regular(file: string, stats: Stats): Stats {
  if (stats.isFile()) return stats;
  throw Object.assign(new Error(`${file} is not a regular file`), { code: "ENOTFILE" });
}

/** The new name outlives a power cut only when the folder is written too. Some systems have no such thing. */
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
