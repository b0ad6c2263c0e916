/** Watches one path for `fs/watch`: a folder's direct entries, or a file, even while it does not exist. */
import { type FSWatcher, statSync, watch } from "node:fs";
import path from "node:path";

/** Changes that are close together are reported together. */
const quietMs = 150;
/** The longest delay of a report during continuous changes. */
const maxDelayMs = 1_000;
const maxPaths = 1_000;

/** Reports the changed paths, sorted, until the returned function is called. Never throws: if the target cannot be watched, its nearest existing parent folder is. */
export function watchPath(target: string, report: (changedPaths: string[]) => void): () => void {
  const watcher = new PathWatcher(target, report);
  return () => watcher.close();
}

class PathWatcher {
  readonly #target: string;
  readonly #report: (changedPaths: string[]) => void;
  readonly #changed = new Set<string>();
  #system: FSWatcher | undefined;
  #anchor = "";
  #timer: NodeJS.Timeout | undefined;
  #firstAt = 0;
  #existed: boolean;
  #isClosed = false;

  constructor(target: string, report: (changedPaths: string[]) => void) {
    this.#target = target;
    this.#report = report;
    this.#existed = exists(target);
    this.#attach();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#system?.close();
  }

  /** Watches the target if it is a folder, otherwise the nearest parent folder: replacing a file ends a watch on the file itself. */
  #attach(): void {
    // Checked again after each step: folders may appear and disappear between checking and watching.
    for (let tries = 0; tries < 100 && !this.#isClosed; tries++) {
      const anchor = isFolder(this.#target) ? this.#target : nearestFolder(path.dirname(this.#target));
      if (anchor === this.#anchor && this.#system !== undefined) return;
      this.#system?.close();
      this.#anchor = anchor;
      try {
        this.#system = watch(anchor, { persistent: false }, (_kind, name) => this.#onEvent(name));
        this.#system.on("error", () => this.#lose());
      } catch {
        this.#system = undefined;
      }
    }
  }

  #lose(): void {
    this.#system?.close();
    this.#system = undefined;
    this.#attach();
  }

  #onEvent(name: string | null): void {
    if (this.#isClosed) return;
    const place = name === null ? this.#anchor : path.join(this.#anchor, name);
    if (this.#anchor === this.#target) {
      // Linux reports the folder itself when it is removed.
      const isGone = !isFolder(this.#target);
      this.#note(isGone ? this.#target : place);
      if (isGone) this.#lose();
    } else if (place === this.#target) this.#note(this.#target);
    this.#attach();
    const nowExists = exists(this.#target);
    if (nowExists !== this.#existed) this.#note(this.#target);
    this.#existed = nowExists;
  }

  #note(place: string): void {
    const now = performance.now();
    if (this.#changed.size === 0) this.#firstAt = now;
    if (this.#changed.size < maxPaths) this.#changed.add(place);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), Math.min(quietMs, Math.max(0, this.#firstAt + maxDelayMs - now))).unref();
  }

  #flush(): void {
    const paths = [...this.#changed].sort();
    this.#changed.clear();
    if (!this.#isClosed && paths.length > 0) this.#report(paths);
  }
}

/** An inaccessible folder or a path that is too long counts as missing: this runs in system callbacks, where nothing catches an error. */
function exists(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

function nearestFolder(from: string): string {
  let at = from;
  while (!isFolder(at) && at !== path.dirname(at)) at = path.dirname(at);
  return at;
}
