/** Finds programs: our own helper programs only in system folders, the model's commands as the shell would find them. */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { findRealPath } from "./file-status.ts";
import { isInsideAny } from "./paths.ts";

/** Folders that only an administrator can write. Never the PATH: it may contain a folder of the workspace. */
const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

const mostKnown = 200;

/** A system program that the server itself runs; undefined when it is missing or lies where commands may write. */
export function findSystemProgram(name: string, writableRoots: Iterable<string> = []): string | undefined {
  for (const folder of systemFolders) {
    const file = path.join(folder, name);
    if (!isProgram(file)) continue;
    const real = findRealPath(file);
    if (real !== undefined && !isInsideAny(real, writableRoots) && !isInsideAny(file, writableRoots)) return file;
  }
  return undefined;
}

/** Remembers where programs were found and looks there first: a long PATH costs a stat for each of its folders. */
export class KnownPrograms {
  readonly #found = new Map<string, string>();

  /** Whether a program of this name exists anywhere. */
  has(name: string, searchPath: string | undefined, cwd: string): boolean {
    const key = `${name}\0${searchPath}\0${cwd}`;
    const known = this.#found.get(key);
    if (known !== undefined && isProgram(known)) return true;
    const file = findProgram(name, searchPath, cwd);
    if (this.#found.size >= mostKnown) this.#found.clear();
    if (file !== undefined) this.#found.set(key, file);
    return file !== undefined;
  }
}

/** The file that running `name` would start: by path relative to cwd, or the first match on the PATH. */
export function findProgram(name: string, searchPath: string | undefined, cwd: string): string | undefined {
  return programCandidates(name, searchPath, cwd).find(isProgram);
}

/** The candidate paths of a program, in order, by the rules of the platform. */
export function programCandidates(name: string, searchPath: string | undefined, cwd: string, platform = process.platform): string[] {
  if (name === "" || name.includes("\0")) return [];
  const isWindows = platform === "win32";
  const { resolve, delimiter } = isWindows ? path.win32 : path.posix;
  // Windows tries the known extensions after a name that has none of its own.
  const endings = isWindows ? ["", ".com", ".exe", ".bat", ".cmd"] : [""];
  const isPath = name.includes("/") || (isWindows && /[\\:]/.test(name));
  // An empty entry of the PATH means the current folder.
  const folders = isPath ? [""] : (searchPath ?? (isWindows ? "" : "/usr/local/bin:/usr/bin:/bin")).split(delimiter);
  return folders.flatMap((folder) => endings.map((ending) => resolve(cwd, folder, `${name}${ending}`)));
}

/** The PATH of an environment; on Windows the variable's case varies. */
export function searchPathOf(env: Readonly<Record<string, string | undefined>>, platform = process.platform): string | undefined {
  if (platform !== "win32") return env["PATH"];
  return Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1];
}

function isProgram(file: string): boolean {
  try {
    // Most folders of a PATH do not contain the program: an error for each would cost more than the stat itself.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
