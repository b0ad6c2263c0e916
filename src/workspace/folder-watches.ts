/** Watches very many folders for changes of their entries, and notices when the system has lost some of its notifications. */
import { type FSWatcher, type Stats, watch } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { findLstat } from "../lib/file-status.ts";

/** What a system without a setting of its own queues before it drops notifications. */
const usualQueue = 16_384;

export class FolderWatches {
  readonly #most: number;
  readonly #queue = numberIn("/proc/sys/fs/inotify/max_queued_events") ?? usualQueue;
  readonly #watched = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  #touched = new Set<string>();
  #inOneGo = 0;
  #isLost = false;

  /** At most so many folders, and never more than a third of what the system has for all programs of the user. */
  constructor(most: number) {
    this.#most = Math.min(most, Math.floor((numberIn("/proc/sys/fs/inotify/max_user_watches") ?? most * 3) / 3));
  }

  get count(): number {
    return this.#watched.size;
  }

  /** False if there are too many, or the system has no more for us. A folder that does not exist any more is no failure. */
  add(folder: string): boolean {
    const found = findLstat(folder);
    if (this.#watched.has(folder) || found?.isDirectory() !== true) return true;
    if (this.#watched.size >= this.#most) return false;
    try {
      const watcher = watch(folder, { persistent: false }, (_kind, name) => this.#note(folder, name));
      watcher.on("error", () => {
        this.#isLost = true;
      });
      this.#watched.set(folder, { watcher, identity: identityOf(found) });
      return true;
    } catch (error) {
      return !(error instanceof Error && "code" in error && /^(?:ENOSPC|EMFILE|ENFILE|ENOMEM)$/.test(String(error.code)));
    }
  }

  has(folder: string): boolean {
    return this.#watched.has(folder);
  }

  /** Whether it is still the folder that is watched, and not another one of the same name. */
  isSame(folder: string, found: Stats): boolean {
    return this.#watched.get(folder)?.identity === identityOf(found);
  }

  /** Ends the watches of a folder that is gone, and of all below it. */
  drop(folder: string): void {
    for (const [at, { watcher }] of this.#watched)
      if (at === folder || at.startsWith(`${folder}${path.sep}`)) {
        watcher.close();
        this.#watched.delete(at);
      }
  }

  /** The paths that were touched since the last call, everything that happened before this one included; undefined if some were lost. */
  async drain(): Promise<ReadonlySet<string> | undefined> {
    // The queue is read completely whenever the event loop polls: the second of two rounds polls after this call for certain.
    await nextRound();
    await nextRound();
    const touched = this.#touched;
    this.#touched = new Set();
    const isLost = this.#isLost;
    this.#isLost = false;
    return isLost ? undefined : touched;
  }

  close(): void {
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
    this.#touched.clear();
  }

  #note(folder: string, name: string | null): void {
    if (name === null) this.#isLost = true;
    else this.#touched.add(path.join(folder, name));
    // Node does not pass on that the queue was full, but then so many notifications come without a pause.
    if (this.#inOneGo++ === 0) setImmediate(() => (this.#inOneGo = 0));
    if (this.#inOneGo > this.#queue / 4) this.#isLost = true;
    if (this.#touched.size > this.#queue * 4) this.#loseAll();
  }

  /** So many that looking at everything costs less, and memory stays bounded. */
  #loseAll(): void {
    this.#isLost = true;
    this.#touched.clear();
  }
}

/** A new folder may get the inode of a deleted one. */
const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev}:${ino}:${birthtimeMs}`;

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function numberIn(file: string): number | undefined {
  try {
    const value = Number(readBoundedTextSync(file, 64, { beyond: "cut" }));
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
