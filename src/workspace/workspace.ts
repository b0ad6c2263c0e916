/**
 * Implements the Workspace port on the real disk: every step goes from an opened folder to a name in it, so that no link can be inserted in
 * between.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, link, lstat, open, readlink, rename, rmdir, symlink, unlink } from "node:fs/promises";
import path from "node:path";
import { type FileState, type NewFile, type Receipt, sameState, type Workspace, WorkspaceRefusal } from "../core/ports/workspace.ts";
import { readOpened, UnfitFile } from "../lib/bounded-read.ts";
import { pathProblem } from "../lib/paths.ts";
import { errorCode, isCode } from "../lib/system-error.ts";
import { errorText, locatePath } from "./locate.ts";
import { type Folder, type OpenFolder, openFolder } from "./open-folder.ts";

/** Larger files are not source text; keeping several of them twice in memory would hurt the server. */
const defaultMaxBytes = 32 * 1024 * 1024;

/** Only tests pass a different `openAt` than the system's best. */
export function createWorkspace(openAt: OpenFolder = openFolder): Workspace {
  return {
    locate: async (name) => await locatePath(checked(name)),
    async locateEntry(name) {
      const whole = checked(name);
      const { real } = await locatePath(path.dirname(whole));
      return path.join(real, path.basename(whole));
    },
    async read(real, maxBytes = defaultMaxBytes) {
      const parent = await openAt(path.dirname(checked(real)), "find");
      if (parent === undefined) return { kind: "absent" };
      return await parent.use(async () => await readEntry(parent, path.basename(real), maxBytes));
    },
    replace: (real, expected, next) => replace(openAt, real, expected, next),
    async removeFolder(real) {
      const parent = await openAt(path.dirname(checked(real)), "find");
      if (parent === undefined) return false;
      return await parent.use(async () => {
        try {
          await rmdir(parent.at(path.basename(real)));
          return true;
        } catch {
          return false;
        }
      });
    },
  };
}

function checked(name: string): string {
  const problem = pathProblem(name);
  if (problem !== undefined) throw new WorkspaceRefusal("badPath", `invalid path: ${problem}`);
  return path.resolve(name);
}

async function replace(openAt: OpenFolder, real: string, expected: FileState, next: FileState | NewFile): Promise<Receipt> {
  const parent = await openAt(path.dirname(checked(real)), next.kind === "absent" ? "find" : "make");
  if (parent === undefined) {
    if (expected.kind === "absent") return { madeFolders: [] };
    throw changed(real);
  }
  return await parent.use(async () => {
    try {
      await put(parent, path.basename(real), expected, next);
      return { madeFolders: parent.made };
    } catch (error) {
      for (const folder of parent.made.toReversed()) await rmdir(folder).catch(() => undefined);
      throw error instanceof WorkspaceRefusal ? error : new WorkspaceRefusal("io", `Failed to write ${real}: ${errorText(error)}`, error);
    }
  });
}

async function put(parent: Folder, name: string, expected: FileState, next: FileState | NewFile): Promise<void> {
  if (next.kind === "other") throw new WorkspaceRefusal("badPath", `a ${next.what} cannot be written`);
  if (next.kind === "absent") {
    await expectEntry(parent, name, expected);
    if (expected.kind !== "absent") await unlink(parent.at(name));
    return;
  }
  const draft = `.parley-${randomBytes(8).toString("hex")}.tmp`;
  try {
    if (next.kind === "link") await symlink(next.target, parent.at(draft));
    else await writeDraft(parent.at(draft), next, await ownerOf(parent, name));
    await expectEntry(parent, name, expected);
    await parent.checkUnmoved();
    if (expected.kind !== "absent") await rename(parent.at(draft), parent.at(name));
    else await appear(parent, draft, name);
  } catch (error) {
    await unlink(parent.at(draft)).catch(() => undefined);
    if (!needsWriteInPlace(error) || next.kind !== "file" || expected.kind !== "file") throw error;
    await writeInPlace(parent, name, expected, next);
  }
}

/** For a new name: linking fails if another program created it in the meantime, while renaming would replace it. */
async function appear(parent: Folder, draft: string, name: string): Promise<void> {
  try {
    await link(parent.at(draft), parent.at(name));
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw changed(parent.nameOf(name));
    await expectEntry(parent, name, { kind: "absent" });
    await rename(parent.at(draft), parent.at(name));
    return;
  }
  await unlink(parent.at(draft));
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

async function ownerOf(parent: Folder, name: string): Promise<Owner | undefined> {
  return await lstat(parent.at(name)).catch(() => undefined);
}

async function writeDraft(file: string, next: { bytes: Uint8Array; mode?: number | undefined }, owner: Owner | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, flags, next.mode === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(next.bytes);
    const made = await handle.stat();
    if (owner !== undefined && (owner.uid !== made.uid || owner.gid !== made.gid)) await handle.chown(owner.uid, owner.gid);
    if (next.mode !== undefined && path.sep === "/") await handle.chmod(next.mode);
  } finally {
    await handle.close();
  }
  if (next.mode !== undefined && path.sep !== "/") await chmod(file, next.mode);
}

/** The folder accepts no new names, the file is a mount point, or its owner cannot be kept: then only its content can be changed. */
const needsWriteInPlace = (error: unknown): boolean => isCode(error, "EACCES", "EPERM", "EBUSY", "EXDEV", "EROFS");

/** Refused for a file with several hard links: the others may be anywhere. */
async function writeInPlace(parent: Folder, name: string, expected: FileState, next: { bytes: Uint8Array }): Promise<void> {
  await parent.checkUnmoved();
  const handle = await open(parent.at(name), constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = await handle.stat();
    if (stat.nlink > 1) throw new WorkspaceRefusal("io", `Failed to write ${parent.nameOf(name)}: it has several names (hard links)`);
    if (!sameState(await fileState(handle, parent.nameOf(name), defaultMaxBytes), expected)) throw changed(parent.nameOf(name));
    await handle.truncate(0);
    for (let at = 0; at < next.bytes.length; ) at += (await handle.write(next.bytes, at, next.bytes.length - at, at)).bytesWritten;
  } finally {
    await handle.close();
  }
}

async function expectEntry(parent: Folder, name: string, expected: FileState): Promise<void> {
  if (!sameState(await readEntry(parent, name, defaultMaxBytes), expected)) throw changed(parent.nameOf(name));
}

const changed = (real: string): WorkspaceRefusal =>
  new WorkspaceRefusal(
    "changed",
    `${real} was changed by someone else since the patch was made; their version is kept. Read it again and write a new patch`,
  );

async function readEntry(parent: Folder, name: string, maxBytes: number): Promise<FileState> {
  const real = parent.nameOf(name);
  let handle: FileHandle;
  try {
    // Non-blocking: a pipe with this name must not block the server.
    handle = await open(parent.at(name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return await unopened(parent, name, error);
  }
  try {
    if (constants.O_NOFOLLOW === undefined && (await lstat(parent.at(name))).isSymbolicLink()) return await linkState(parent, name);
    return await fileState(handle, real, maxBytes);
  } finally {
    await handle.close();
  }
}

async function unopened(parent: Folder, name: string, error: unknown): Promise<FileState> {
  const code = errorCode(error);
  if (code === "ENOENT") return (await isLink(parent, name)) ? await linkState(parent, name) : { kind: "absent" };
  if (await isLink(parent, name)) return await linkState(parent, name);
  if (code === "ENXIO") return { kind: "other", what: "socket" };
  if (code === "EISDIR") return { kind: "other", what: "folder" };
  throw new WorkspaceRefusal("io", `Failed to read ${parent.nameOf(name)}: ${errorText(error)}`, error);
}

const isLink = async (parent: Folder, name: string): Promise<boolean> =>
  (await lstat(parent.at(name)).catch(() => undefined))?.isSymbolicLink() ?? false;
const linkState = async (parent: Folder, name: string): Promise<FileState> => ({ kind: "link", target: await readlink(parent.at(name)) });

async function fileState(handle: FileHandle, real: string, maxBytes: number): Promise<FileState> {
  const stat = await handle.stat();
  if (stat.isDirectory()) return { kind: "other", what: "folder" };
  if (!stat.isFile()) return { kind: "other", what: stat.isFIFO() ? "pipe" : "device" };
  try {
    return { kind: "file", bytes: await readOpened({ fd: handle.fd, stats: stat }, real, maxBytes), mode: stat.mode & 0o7777 };
  } catch (error) {
    throw error instanceof UnfitFile ? new WorkspaceRefusal("tooLarge", `${real} is larger than ${maxBytes} bytes`) : error;
  }
}
