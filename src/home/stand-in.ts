/**
 * Empty folders that the sandbox creates in place of a missing protected name such as `.git` while commands run. Code that looks for such a
 * name must not mistake the placeholder for the real thing.
 */
import { readdirSync, type Stats } from "node:fs";

/**
 * Nobody creates an empty folder with the sticky bit and without write permission for others by accident. One without any lease file was
 * just created by another server, or left behind by one that was killed while creating it. Created in one step, as far as the umask allows.
 */
export const standInMode = 0o1711;
export const hasStandInMode = ({ mode }: Stats): boolean => (mode & 0o1722) === 0o1700;
/** The lease files in them, one per server that needs the folder: pid namespace, pid, start time and a random part. */
export const leaseName = /^\.parley-(\w+)-(\d+)-(\w+)-\w+$/;

/** Whether the entry at a path is only a placeholder. Another user's cannot be opened and is recognized by its mode alone. */
export function isStandIn(file: string, found: Stats): boolean {
  if (!found.isDirectory() || !hasStandInMode(found)) return false;
  try {
    return readdirSync(file).every((name) => leaseName.test(name));
  } catch {
    return true;
  }
}
