/** Where programs are: helpers of our own only in folders of the system, commands of the model as the shell would find them. */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { findRealPath, isInsideAny } from "./paths.ts";

/** Folders that only an administrator writes. Never the PATH: it may name a folder of the workspace. */
const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];

/** A program of the system that the server itself runs; undefined when it is missing or lies where commands may write. */
export function findSystemProgram(name: string, writableRoots: Iterable<string> = []): string | undefined {
  for (const folder of systemFolders) {
    const file = path.join(folder, name);
    if (!isProgram(file)) continue;
    const real = findRealPath(file);
    if (real !== undefined && !isInsideAny(real, writableRoots) && !isInsideAny(file, writableRoots)) return file;
  }
  return undefined;
}

/** The file that running `name` would start: by path relative to cwd, or the first on the PATH. */
export function findProgram(name: string, searchPath: string | undefined, cwd: string): string | undefined {
  if (name === "" || name.includes("\0")) return undefined;
  if (name.includes("/")) {
    const file = path.resolve(cwd, name);
    return isProgram(file) ? file : undefined;
  }
  for (const folder of (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(":")) {
    // An empty entry of the PATH means the current folder.
    const file = path.resolve(cwd, folder, name);
    if (isProgram(file)) return file;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    // Most folders of a PATH do not hold the program: an error for each would cost more than the look itself.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
