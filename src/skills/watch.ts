/** Detects when skills may have changed on disk. Only a hint: compare the files to be sure. */
import { type FSWatcher, statSync, watch } from "node:fs";
import path from "node:path";

const settleMs = 200;
const maxWatched = 64;

/** Watches folders, including ones that do not exist yet: their nearest existing parent is watched until they do. */
export class FolderWatch {
  readonly #watchers = new Map<string, { watcher: FSWatcher; on: string }>();
  readonly #changed: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(folders: readonly string[]): void {
    for (const folder of folders) if (!this.#watchers.has(folder) && this.#watchers.size < maxWatched) this.#watch(folder);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): void {
    const on = nearestFolder(folder);
    if (on === undefined) return;
    try {
      const watcher = watch(on, { recursive: on === folder, persistent: false }, (_event, name) => this.#onChange(folder, on, name));
      watcher.on("error", () => this.#drop(folder));
      this.#watchers.set(folder, { watcher, on });
    } catch {
      // Out of watches: changes are still detected when skills are next listed.
    }
  }

  #onChange(folder: string, on: string, name: string | null): void {
    if (on !== folder && name !== null && !folder.startsWith(path.join(on, name))) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const [watched, { on: place }] of [...this.#watchers]) {
        if (nearestFolder(watched) === place) continue;
        this.#drop(watched);
        this.#watch(watched);
      }
      this.#changed();
    }, settleMs).unref();
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }
}

function nearestFolder(folder: string): string | undefined {
  for (let here = folder; ; here = path.dirname(here)) {
    if (isFolder(here)) return here;
    if (here === path.dirname(here)) return undefined;
  }
}

/** A cyclic link or an unreadable folder counts as missing: this also runs in a timer, where nothing would catch an exception. */
function isFolder(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
