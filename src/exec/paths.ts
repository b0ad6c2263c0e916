/** Questions about absolute paths that the sandbox and the policy both ask. Compared by component, never by prefix of the text. */
import { lstatSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { isCode } from "../lib/system-error.ts";

export function isInside(child: string, parent: string): boolean {
  if (!child.startsWith(parent)) return false;
  return child.length === parent.length || parent.endsWith(path.sep) || child[parent.length] === path.sep;
}

export const isInsideAny = (child: string, parents: Iterable<string>): boolean => {
  for (const parent of parents) if (isInside(child, parent)) return true;
  return false;
};

/** The folders strictly between the two, outermost first. */
export function foldersBetween(outer: string, inner: string): string[] {
  const found: string[] = [];
  for (let at = path.dirname(inner); at !== outer && isInside(at, outer); at = path.dirname(at)) found.unshift(at);
  return found;
}

export function findRealPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** The same for what is most often not there: a look costs less than an error. */
export const findRealPathIfAny = (file: string): string | undefined => (findLstat(file) === undefined ? undefined : findRealPath(file));

/** Undefined where there is nothing, or nothing that this account may look at: a command could not reach it either. */
export function findLstat(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) ?? undefined;
  } catch (error) {
    if (isCode(error, "EACCES")) return undefined;
    throw error;
  }
}

/**
 * Where a path leads, with every symlink on the way to it, as the real path of the link itself. Both come from one look: a path that changes
 * meanwhile leads where its links say, or is what it is called. Undefined where there is nothing.
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
