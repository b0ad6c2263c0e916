/**
 * Empty placeholder folders for protected names that do not exist: a read-only mount needs a mount point. They exist only while a command
 * runs, are shared by concurrent commands of this and other servers, and are removed with the last of them.
 */
import {
  chmodSync,
  close,
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  utimesSync,
} from "node:fs";
import path from "node:path";
import { hasStandInMode, leaseName, standInMode } from "../../home/stand-in.ts";
import { settledAfterMs } from "../../lib/file-status.ts";
import { randomBytes } from "../../lib/random.ts";
import { isCode } from "../../lib/system-error.ts";
import { isRunning, processSpace, serverName } from "../processes.ts";

const maxTries = 20;
/** Opens a folder only to access entries by name, which does not need permission to list it. */
const O_PATH = 0o10000000;
const letGoAfterMs = 20;
/** Deleting a folder this slowly, longer than it takes to ask another thread, is left to one, and so are this many more. */
const slowMs = 0.04;
const afterSlow = 100;
/**
 * Whether a process in another PID namespace is alive cannot be checked: its leases are touched while it lives, and count as abandoned
 * after this long.
 */
const touchMs = 60_000;
const staleMs = 15 * touchMs;

interface Held {
  count: number;
  /** The folder itself, kept open: deleting it takes long on some disks, and that then happens when it is closed, while nothing waits. */
  readonly fd: number | undefined;
  /** When it was last seen containing only our lease. Its timestamps change with every entry that is added or removed. */
  sign: string | undefined;
}

/**
 * Each runner that relies on a placeholder keeps a lease in it: a file named after its server's process. This keeps the folder from being
 * removed, which would also remove the mounts that other sandboxes have on it.
 */
export class Placeholders {
  readonly #held = new Map<string, Held>();
  #lease: string | undefined;
  #planned: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Folders to close together, a moment later. */
  #leaving: number[] = [];
  /** How many more are closed by another thread. */
  #slow = 0;

  /** Paths that must be removed when the server dies. */
  get paths(): readonly string[] {
    return [...new Set([...this.#held.keys(), ...this.#planned])];
  }

  /** Adds paths to those that must be removed, before they are created; returns whether one of them is new. */
  plan(folders: readonly string[]): boolean {
    this.#planned = folders;
    return folders.some((folder) => !this.#held.has(folder));
  }

  /** The name of the leases; unique even among several instances in the same process. */
  get lease(): string {
    this.#lease ??= `.parley-${serverName()}-${randomBytes(4).toString("hex")}`;
    return this.#lease;
  }

  /**
   * Makes sure that something exists at the path. Returns true if it is a placeholder, which the caller then has to release; false if it
   * belongs to the user or to another user. Throws if nothing can be created there.
   */
  hold(folder: string): boolean {
    const held = this.#held.get(folder);
    // A program that cleans temporary folders may have removed it.
    const isThere = held !== undefined && existsSync(path.join(folder, this.lease));
    if (!isThere && !this.#take(folder)) return false;
    if (isThere) held.count++;
    else this.#remember(folder, (held?.count ?? 0) + 1);
    this.#timer ??= setInterval(() => this.#touch(), touchMs).unref();
    return true;
  }

  release(folder: string): void {
    const held = this.#held.get(folder);
    if (held === undefined || --held.count > 0) return;
    this.#held.delete(folder);
    this.#giveUp(whereNow(held) ?? folder);
    this.#letGo(held);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Whether what was found at a path is a placeholder. Deletes leases of servers that are gone. */
  isOne(folder: string, found: Stats): boolean {
    const held = this.#held.get(folder);
    const sign = `${found.dev}:${found.ino}:${found.mtimeMs}`;
    if (held?.sign === sign) return true;
    const names = namesIn(folder, found);
    if (held !== undefined && names?.length === 1 && names[0] === this.lease) {
      // A change this recent may be followed by another one with the same timestamp.
      if (Date.now() - found.mtimeMs > settledAfterMs) held.sign = sign;
      return true;
    }
    return areLeases(folder, found, names);
  }

  #remember(folder: string, count: number): void {
    const before = this.#held.get(folder);
    if (before !== undefined) this.#letGo(before);
    this.#held.set(folder, { count, fd: openFolder(folder), sign: undefined });
  }

  /** Deferred: the caller that waits for the command's end comes first. */
  #letGo({ fd }: Held): void {
    if (fd === undefined) return;
    this.#leaving.push(fd);
    if (this.#leaving.length > 1) return;
    setTimeout(() => {
      for (const each of this.#leaving.splice(0)) this.#close(each);
    }, letGoAfterMs).unref();
  }

  /** On many disks it takes microseconds, a tenth of what another thread costs; on others several times as long as that. */
  #close(fd: number): void {
    if (this.#slow > 0) {
      this.#slow--;
      return close(fd, () => undefined);
    }
    const before = performance.now();
    closeSync(fd);
    if (performance.now() - before > slowMs) this.#slow = afterSlow;
  }

  #touch(): void {
    const now = new Date();
    for (const folder of this.#held.keys()) {
      try {
        utimesSync(path.join(folder, this.lease), now, now);
      } catch {
        // Removed by another program.
      }
    }
  }

  /** Creates it through its parent folder, opened first: another command may replace a parent by a link at any moment. */
  #take(folder: string): boolean {
    const parent = openSync(path.dirname(folder), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      const inside = `/proc/self/fd/${parent}`;
      if (readlinkSync(inside) !== path.dirname(folder)) throw new Error(`${folder} was moved by another command`);
      return this.#takeIn(path.join(inside, path.basename(folder)), folder);
    } finally {
      closeSync(parent);
    }
  }

  #takeIn(at: string, folder: string): boolean {
    // Another server may remove the folder between two steps: then start again.
    for (let tries = 0; tries < maxTries; tries++) {
      const isNew = makeFolder(at);
      if (!isNew && !isPlaceholder(at)) return false;
      try {
        this.#putLease(at, folder);
        return true;
      } catch (error) {
        if (isCode(error, "EEXIST")) return true;
        if (isCode(error, "ENOENT")) continue;
        if (!isNew) return false; // Owned by another user; we cannot write into it, and it is read-only for our commands anyway.
        throw error;
      }
    }
    throw new Error(`${folder} is made and removed all the time by another program`);
  }

  /** The leases of a server are hard links to one file: some file systems are slow to allocate a file after many were removed. */
  #putLease(at: string, folder: string): void {
    const lease = path.join(at, this.lease);
    const [other] = this.#held.keys();
    if (other !== undefined && other !== folder) {
      try {
        return linkSync(path.join(other, this.lease), lease);
      } catch (error) {
        if (isCode(error, "EEXIST")) throw error;
        // A different file system, or one without hard links.
      }
    }
    closeSync(openSync(lease, "wx", 0o600));
  }

  /** Best effort: a failure must not prevent other cleanup. */
  #giveUp(folder: string): void {
    try {
      unlinkSync(path.join(folder, this.lease));
      rmdirSync(folder);
    } catch (error) {
      // Without our lease in it, it is a different folder by now. What cannot be reached is left.
      if (!isCode(error, "ENOTEMPTY")) return;
      // With leases of running servers it stays; if the user put files into it, it becomes an ordinary folder.
      if (isPlaceholder(folder)) removeEmpty(folder);
      else openToAll(folder);
    }
  }
}

function openToAll(folder: string): void {
  try {
    chmodSync(folder, 0o755);
  } catch {
    // Just removed: another server deleted its lease and the folder.
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another server needs it, or has removed it.
  }
}

/** A parent folder may have been moved. */
function whereNow({ fd }: Held): string | undefined {
  try {
    return fd === undefined ? undefined : readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

function openFolder(folder: string): number | undefined {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined; // Only slower.
  }
}

function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: standInMode });
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Whether a folder is a placeholder. Deletes leases of servers that are gone. */
export function isPlaceholder(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return true; // Just removed: the caller creates it again.
  return areLeases(folder, found, namesIn(folder, found));
}

function namesIn(folder: string, found: Stats): string[] | undefined {
  if (!found.isDirectory()) return undefined;
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function areLeases(folder: string, found: Stats, names: readonly string[] | undefined): boolean {
  if (names?.every((name) => leaseName.test(name)) !== true) return false;
  for (const name of names) if (isStale(folder, name)) unlinkQuietly(path.join(folder, name));
  return names.length > 0 || hasStandInMode(found);
}

/** A lease may come from another PID namespace: from a container that shares the folder. */
function isStale(folder: string, name: string): boolean {
  const [, space, pid = "", start] = leaseName.exec(name) ?? [];
  if (space === processSpace()) return !isRunning(Number(pid), start ?? "");
  const touched = lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched > staleMs;
}

function unlinkQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Already gone.
  }
}
