/** Whether files are still what they were when a snapshot was captured. They are only looked at, never opened. */
import { type Stats, statSync } from "node:fs";

export interface WatchedPaths {
  /** Of a folder it counts that it exists and who may enter it, of anything else also its content. */
  readonly paths: ReadonlySet<string>;
  /** Folders of which the list of names counts too. */
  readonly listed: ReadonlySet<string>;
}

/** A file that was changed as shortly before a capture as this might be changed once more without looking any different. */
const clockStepMs = 50;

function lookAt(file: string, isListed: boolean): { readonly looks: string; readonly changedMs: number } {
  let found: Stats | undefined;
  try {
    found = statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    return { looks: error instanceof Error && "code" in error ? String(error.code) : "?", changedMs: 0 };
  }
  if (found === undefined) return { looks: "none", changedMs: 0 };
  const { mode, uid, gid, dev, ino, size, mtimeMs, ctimeMs } = found;
  const whose = `${mode} ${uid} ${gid} ${dev} ${ino}`;
  if (found.isDirectory() && !isListed) return { looks: whose, changedMs: 0 };
  return { looks: `${whose} ${size} ${mtimeMs} ${ctimeMs}`, changedMs: ctimeMs };
}

export class WatchedFiles {
  readonly #watched: WatchedPaths;
  readonly #seen = new Map<string, string>();
  /** Whether one of them may have been changed since `sinceMs`. */
  readonly isYoung: boolean;

  constructor(watched: WatchedPaths, sinceMs: number) {
    this.#watched = watched;
    let newest = 0;
    for (const file of new Set([...watched.paths, ...watched.listed])) {
      const { looks, changedMs } = lookAt(file, watched.listed.has(file));
      this.#seen.set(file, looks);
      newest = Math.max(newest, changedMs);
    }
    this.isYoung = newest > sinceMs - clockStepMs;
  }

  areSame(): boolean {
    for (const [file, looks] of this.#seen) if (lookAt(file, this.#watched.listed.has(file)).looks !== looks) return false;
    return true;
  }
}
