/** An open folder. On Linux, names in it are accessed through its file descriptor, so its path cannot be changed in the meantime. */
import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import path from "node:path";
import { WorkspaceRefusal } from "../core/ports/workspace.ts";
import { components } from "../lib/paths.ts";
import { errorCode } from "../lib/system-error.ts";
import { errorText } from "./locate.ts";

/** O_PATH opens a folder without read permission; Linux only, and Node has no constant for it. */
const oPath = 0o10000000;

export class Folder {
  /** Absolute and without links when it was opened. */
  readonly real: string;
  /** Folders that had to be created, outermost first. */
  readonly made: readonly string[];
  readonly #handle: FileHandle | undefined;
  readonly #identity: string;

  private constructor(real: string, made: readonly string[], handle: FileHandle | undefined, identity: string) {
    this.real = real;
    this.made = made;
    this.#handle = handle;
    this.#identity = identity;
  }

  static held(real: string, made: readonly string[], handle: FileHandle): Folder {
    return new Folder(real, made, handle, "");
  }
  static named(real: string, made: readonly string[], identity: string): Folder {
    return new Folder(real, made, undefined, identity);
  }

  /** The path for opening, creating or renaming `name` in this folder. */
  at(name: string): string {
    return this.#handle === undefined ? path.join(this.real, name) : `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  /** The path for display. */
  nameOf(name: string): string {
    return path.join(this.real, name);
  }

  /** Without a file descriptor: checks that the path still refers to the same folder. */
  async checkUnmoved(): Promise<void> {
    if (this.#handle === undefined && (await identityOf(this.real)) !== this.#identity) throw throughLink(this.real);
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      await this.checkUnmoved();
      return result;
    } finally {
      await this.#handle?.close();
    }
  }
}

/**
 * "find": undefined if it does not exist; "make": creates what is missing. Throws WorkspaceRefusal if a path component is a link or not a
 * folder.
 */
export type OpenFolder = (real: string, missing: "find" | "make") => Promise<Folder | undefined>;

/** Uses the safest method that this system has. */
export const openFolder: OpenFolder = (real, missing) =>
  process.platform === "linux" && existsSync("/proc/self/fd") ? openByDescriptor(real, missing) : openByName(real, missing);

async function openByDescriptor(real: string, missing: "find" | "make"): Promise<Folder | undefined> {
  const made: string[] = [];
  let here = "/";
  let handle = await open(here, oPath | constants.O_DIRECTORY);
  try {
    for (const name of components(real)) {
      here = path.join(here, name);
      const next = await step(handle, name, here, missing, made);
      await handle.close();
      if (next === undefined) return undefined;
      handle = next;
    }
    return Folder.held(real, made, handle);
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}

async function step(
  from: FileHandle,
  name: string,
  here: string,
  missing: "find" | "make",
  made: string[],
): Promise<FileHandle | undefined> {
  const at = `/proc/self/fd/${from.fd}/${name}`;
  const flags = oPath | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  try {
    return await open(at, flags);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw await notAFolder(at, here, error);
  }
  if (missing === "find") return undefined;
  try {
    await mkdir(at);
    made.push(here);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw new WorkspaceRefusal("io", `Failed to make the folder ${here}: ${errorText(error)}`, error);
  }
  return await open(at, flags).catch(async (error: unknown) => {
    throw await notAFolder(at, here, error);
  });
}

async function notAFolder(at: string, here: string, error: unknown): Promise<WorkspaceRefusal> {
  const stat = await lstat(at).catch(() => undefined);
  if (stat?.isSymbolicLink()) return throughLink(here);
  if (stat !== undefined && !stat.isDirectory()) return new WorkspaceRefusal("io", `${here} is not a folder`, error);
  return new WorkspaceRefusal("io", `Failed to open the folder ${here}: ${errorText(error)}`, error);
}

const throughLink = (here: string): WorkspaceRefusal =>
  new WorkspaceRefusal("link", `${here} has become a symbolic link or was moved; nothing is written through it`);

/** Without file descriptors: every path component is checked, and the folder's identity is compared before and after each change. */
export async function openByName(real: string, missing: "find" | "make"): Promise<Folder | undefined> {
  const made: string[] = [];
  let here = path.parse(real).root;
  for (const name of components(real)) {
    here = path.join(here, name);
    let stat = await lstat(here).catch(() => undefined);
    if (stat === undefined && missing === "find") return undefined;
    if (stat === undefined) {
      await mkdir(here).catch((error: unknown) => {
        throw new WorkspaceRefusal("io", `Failed to make the folder ${here}: ${errorText(error)}`, error);
      });
      made.push(here);
      stat = await lstat(here);
    }
    if (!stat.isDirectory()) throw await notAFolder(here, here, undefined);
  }
  return Folder.named(real, made, await identityOf(real));
}

/** Device and inode of every folder on the path. */
async function identityOf(real: string): Promise<string> {
  const marks: string[] = [];
  for (let here = real; ; here = path.dirname(here)) {
    const stat = await lstat(here).catch(() => undefined);
    marks.push(stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : "gone");
    if (here === path.dirname(here)) return marks.join("/");
  }
}
