/** `fs/*`: file access on the server's machine for its client, which acts with the user's own permissions. */
import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, open, opendir, readlink, realpath, rm, rmdir, stat, symlink, unlink } from "node:fs/promises";
import path from "node:path";
import { readBounded, UnfitFile } from "../lib/bounded-read.ts";
import { isInside } from "../lib/paths.ts";
import { systemErrorTexts } from "../lib/system-error.ts";
import { internalError, invalidRequest, RpcError } from "../protocol/errors.ts";
import type { FsReadDirectoryEntry, fsRequests } from "../protocol/fs.ts";
import { isBase64 } from "../protocol/limits.ts";
import type { HandlersFor, Session } from "./app.ts";
import { watchPath } from "./fs-watch.ts";

/** A larger file would exceed the message size that clients accept. */
const maxReadBytes = 64 * 1024 * 1024;
/** More entries would exceed the message size that clients accept. */
const maxEntries = 100_000;
const maxWatches = 256;

export const fsHandlers: HandlersFor<typeof fsRequests> = {
  "fs/readFile": async (params) => ({ dataBase64: (await withCodexErrors(() => readWhole(params.path))).toString("base64") }),

  async "fs/writeFile"(params) {
    const bytes = fromBase64(params.dataBase64);
    await withCodexErrors(() => writeWhole(params.path, bytes));
    return {};
  },

  async "fs/createDirectory"(params) {
    await withCodexErrors(() => mkdir(params.path, { recursive: params.recursive ?? true }));
    return {};
  },

  async "fs/getMetadata"(params) {
    const [own, target] = await withCodexErrors(() => Promise.all([lstat(params.path), stat(params.path)]));
    return {
      isDirectory: target.isDirectory(),
      isFile: target.isFile(),
      isSymlink: own.isSymbolicLink(),
      createdAtMs: Math.floor(target.birthtimeMs),
      modifiedAtMs: Math.floor(target.mtimeMs),
    };
  },

  "fs/readDirectory": async (params) => ({ entries: await withCodexErrors(() => listFolder(params.path)) }),

  async "fs/remove"(params) {
    await withCodexErrors(() => remove(params.path, params.recursive ?? true, params.force ?? true));
    return {};
  },

  async "fs/copy"(params) {
    await withCodexErrors(() => copy(path.resolve(params.sourcePath), path.resolve(params.destinationPath), params.recursive ?? false));
    return {};
  },

  "fs/watch"(params, { session }) {
    const watches = watchesOf(session);
    if (watches.has(params.watchId)) throw invalidRequest(`watchId already exists: ${params.watchId}`);
    if (watches.size >= maxWatches)
      throw invalidRequest(`too many watches on this connection (at most ${maxWatches}); end some with fs/unwatch`);
    const { watchId } = params;
    watches.set(
      watchId,
      watchPath(path.resolve(params.path), (changedPaths) => session.notify("fs/changed", { watchId, changedPaths })),
    );
    return { path: params.path };
  },

  "fs/unwatch"(params, { session }) {
    const watches = watchesOf(session);
    watches.get(params.watchId)?.();
    watches.delete(params.watchId);
    return {};
  },
};

/** The watches of each connection, by id; the values end them. They end with the session. */
const watchesBySession = new WeakMap<Session, Map<string, () => void>>();

function watchesOf(session: Session): Map<string, () => void> {
  let watches = watchesBySession.get(session);
  if (watches === undefined) {
    const fresh = new Map<string, () => void>();
    session.onClose.add(() => {
      for (const end of fresh.values()) end();
      fresh.clear();
    });
    watchesBySession.set(session, fresh);
    watches = fresh;
  }
  return watches;
}

/** Translates system errors into the messages that Codex clients know: `No such file or directory (os error 2)`. */
async function withCodexErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcError || !(error instanceof Error)) throw error;
    throw internalError(systemText(error));
  }
}

/** The native server's C library words one of them differently. */
const errorTexts: Readonly<Record<string, string>> = { ...systemErrorTexts, ELOOP: "Symbolic link loop" };

function systemText(error: Error & { code?: unknown; errno?: unknown }): string {
  const text = typeof error.code === "string" ? errorTexts[error.code] : undefined;
  if (text === undefined) return error.message;
  return typeof error.errno === "number" ? `${text} (os error ${-error.errno})` : text;
}

/** Never blocks on a pipe or a device. */
async function readWhole(file: string): Promise<Buffer> {
  try {
    return await readBounded(file, maxReadBytes);
  } catch (error) {
    if (!(error instanceof UnfitFile)) throw error;
    throw invalidRequest(`path \`${file}\` is ${error.code === "EFBIG" ? `larger than ${maxReadBytes} bytes` : "not a file"}`);
  }
}

/** Never blocks on a pipe without a reader. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK = 0 } = constants;
  const handle = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o666);
  try {
    if (!(await handle.stat()).isFile()) throw invalidRequest(`path \`${file}\` is not a file`);
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

function fromBase64(text: string): Buffer {
  if (!isBase64(text)) throw invalidRequest("fs/writeFile requires valid base64 dataBase64: standard alphabet with padding");
  return Buffer.from(text, "base64");
}

/** Symbolic links count as their targets; broken links are skipped. */
async function listFolder(folder: string): Promise<FsReadDirectoryEntry[]> {
  const entries: FsReadDirectoryEntry[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 512 })) {
    if (entries.length >= maxEntries) throw invalidRequest(`path \`${folder}\` has more than ${maxEntries} entries`);
    const found = entry.isSymbolicLink() ? await stat(path.join(folder, entry.name)).catch(() => undefined) : entry;
    if (found !== undefined) entries.push({ fileName: entry.name, isDirectory: found.isDirectory(), isFile: found.isFile() });
  }
  return entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
}

async function remove(target: string, isRecursive: boolean, isForced: boolean): Promise<void> {
  if (path.resolve(target) === path.parse(path.resolve(target)).root) throw invalidRequest("fs/remove does not remove a whole file system");
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (isForced && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isDirectory()) await unlink(target);
  else if (isRecursive) await rm(target, { recursive: true });
  else await rmdir(target);
}

/** Symbolic links are copied as links. A folder is merged into an existing folder file by file. */
async function copy(source: string, target: string, isRecursive: boolean): Promise<void> {
  const found = await lstat(source);
  if (found.isDirectory()) {
    if (!isRecursive) throw invalidRequest("fs/copy requires recursive: true when sourcePath is a directory");
    if (isInside(await realOf(target), await realpath(source)))
      throw invalidRequest("fs/copy cannot copy a directory to itself or one of its descendants");
    await cp(source, target, { recursive: true, force: true, verbatimSymlinks: true });
    return;
  }
  if (found.isSymbolicLink()) {
    const leadsTo = await readlink(source);
    await unlink(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    await symlink(leadsTo, target);
    return;
  }
  if (!found.isFile()) throw invalidRequest("fs/copy only copies regular files, directories and symbolic links");
  if ((await stat(target).catch(() => undefined))?.isFIFO() === true) throw invalidRequest(`path \`${target}\` is not a file`);
  await copyFile(source, target);
}

/** The real path of a target that may not exist yet. */
async function realOf(target: string): Promise<string> {
  const parent = path.dirname(target);
  if (parent === target) return target;
  return await realpath(target).catch(async () => path.join(await realOf(parent), path.basename(target)));
}
