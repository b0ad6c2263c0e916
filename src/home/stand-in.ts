/**
 * Empty folders that the sandbox puts where a protected name such as `.git` is missing, while commands run. Whoever looks for such a name must
 * not take one for the thing itself.
 */
import { readdirSync, type Stats } from "node:fs";

/**
 * Nobody makes an empty folder with the sticky bit and nobody else's right to write by accident: one without any lease was just made by
 * another server, or is left of one that was killed as it made it. Made in one step, as far as the user's mask lets it.
 */
export const standInMode = 0o1711;
export const hasStandInMode = ({ mode }: Stats): boolean => (mode & 0o1722) === 0o1700;
/** The files in them, one for each server that needs them: process space, process, start, and a random part. */
export const leaseName = /^\.parley-(\w+)-(\d+)-(\w+)-\w+$/;

/** Whether what was found at a path is only one of these. One of another user's cannot be looked into, and is recognized by its mode alone. */
export function isStandIn(file: string, found: Stats): boolean {
  if (!found.isDirectory() || !hasStandInMode(found)) return false;
  try {
    return readdirSync(file).every((name) => leaseName.test(name));
  } catch {
    return true;
  }
}
