/**
 * Empty folders that stand in for protected names which do not exist: a read-only mount needs something to sit on. They are there only while
 * a command runs, are shared by commands that run side by side, and never outlive the last of them.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";

/**
 * Modes that mark a folder as one of ours, so that any later server can tell a leftover of a killed one from a folder of the user. Nobody
 * makes an empty folder with the sticky bit and such rights by accident. `shared` says that a second server relies on it, or a later one
 * found it: only then is it worth looking through all processes before it is removed.
 */
const made = 0o1711;
const shared = 0o1700;

export class Placeholders {
  readonly #held = new Map<string, { count: number; readonly inode: number }>();

  /** Paths that must be removed when the server dies. */
  get paths(): readonly string[] {
    return [...this.#held.keys()];
  }

  /**
   * Makes sure that something stands at the path. Answers true when it is a placeholder, which the caller then has to release; false when
   * something of the user's stands there. Throws when nothing can be put there.
   */
  hold(path: string): boolean {
    const held = this.#held.get(path);
    const isNew = makeFolder(path);
    if (!isNew && !isPlaceholder(path)) return false;
    const { ino } = lstatSync(path);
    if (held?.inode === ino) held.count++;
    else {
      if (!isNew) chmodSync(path, shared);
      this.#held.set(path, { count: 1, inode: ino });
    }
    return true;
  }

  release(path: string): void {
    const held = this.#held.get(path);
    if (held === undefined || --held.count > 0) return;
    this.#held.delete(path);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.ino !== held.inode) return;
    // Removing a folder takes down the mounts that other sandboxes have on it: while there is one, it is theirs to remove.
    if ((found.mode & 0o7777) === shared && isMountedInSandbox(path)) return;
    removeFolder(path);
  }
}

function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
  chmodSync(path, made);
  return true;
}

export function isPlaceholder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const mode = found?.isDirectory() === true ? found.mode & 0o7777 : undefined;
  if (mode !== made && mode !== shared) return false;
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/** Removes it only while it is empty: what the user put into it meanwhile stays, as an ordinary folder. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (isCode(error, "ENOTEMPTY")) chmodSync(path, 0o755);
    else if (!isCode(error, "ENOENT")) throw error;
  }
}

/** Whether a sandbox of another server has a mount on the path. */
function isMountedInSandbox(path: string): boolean {
  const written = ` ${path.replaceAll("\\", "\\134").replaceAll(" ", "\\040").replaceAll("\t", "\\011").replaceAll("\n", "\\012")} `;
  for (const pid of processIds()) {
    try {
      if (readFileSync(`/proc/${pid}/comm`, "utf8") === "bwrap\n" && readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(written))
        return true;
    } catch {
      // It ended meanwhile, or is not ours to look at.
    }
  }
  return false;
}

function processIds(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && "code" in error && error.code === code;
