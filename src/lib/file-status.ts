/** What is at a path: its status, its real path and the symlinks on the way; undefined where there is nothing. */
import { lstatSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { isCode } from "./system-error.ts";

/** A change this shortly before a stat may be followed by another one with the same time stamp. */
export const settledAfterMs = 50;

export function findRealPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** The same for files that are usually missing: a check costs less than an error. */
export const findRealPathIfAny = (file: string): string | undefined => (findLstat(file) === undefined ? undefined : findRealPath(file));

/** Undefined where there is nothing, or nothing that this account can access: a command could not reach it either. */
export function findLstat(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) ?? undefined;
  } catch (error) {
    if (isCode(error, "EACCES")) return undefined;
    throw error;
  }
}

/**
 * The real path of a path, with every symlink on the way as the real path of the link itself. Both come from one traversal, so that they
 * agree even when the path changes meanwhile. Undefined where there is nothing.
 */
export function followLinks(file: string): { readonly real: string; readonly links: readonly string[] } | undefined {
  const links: string[] = [];
  let real = path.parse(file).root;
  for (const name of file.split(path.sep)) {
    if (name === "") continue;
    real = path.join(real, name);
    const found = findLstat(real);
    if (found === undefined) return undefined;
    if (!found.isSymbolicLink()) continue;
    links.push(real);
    const target = findRealPath(real);
    if (target === undefined) return undefined;
    real = target;
  }
  return { real, links };
}
