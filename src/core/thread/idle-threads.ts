/** Finds loaded threads that can be unloaded: those that are idle and have no subscribers. The next resume loads them again. */
import { invalidRequest } from "../../protocol/errors.ts";
import { maxLoadedThreads } from "../settings/count-limits.ts";

/** A recently requested thread may be about to get a subscriber. */
const recentMs = 1000;

/** A worker of a fleet keeps an idle thread without subscribers for this long at most: others may want it. */
export const sharedUnloadMs = 60_000;

interface LoadedThread {
  readonly id: string;
  readonly meta: { readonly parentThreadId?: string | undefined };
  /** Nothing is running in it, and it has no subscribers. */
  readonly isIdle: boolean;
  /** How long it stays loaded without subscribers. */
  readonly unloadAfterMs: number;
}

interface Loaded {
  readonly all: ReadonlyMap<string, LoadedThread>;
  unload(id: string): Promise<void>;
}

export class IdleThreads {
  readonly #loaded: Loaded;
  /** Milliseconds that never run backwards. */
  readonly #now: () => number;
  /** The number being loaded. */
  #loading = 0;
  readonly #usedAt = new WeakMap<LoadedThread, number>();

  constructor(loaded: Loaded, now: () => number) {
    this.#loaded = loaded;
    this.#now = now;
  }

  /** The thread was requested. */
  used(thread: LoadedThread): void {
    this.#usedAt.set(thread, this.#now());
  }

  /** Call periodically. */
  async unloadUnwatched(): Promise<void> {
    for (const thread of this.#idleFor(({ unloadAfterMs }) => unloadAfterMs)) await this.#loaded.unload(thread.id);
  }

  /** Loads one more thread, unloading another if needed. Throws when all loaded threads are in use. */
  async withRoom<T>(load: () => Promise<T>): Promise<T> {
    this.#loading++;
    try {
      if (this.#loaded.all.size + this.#loading > maxLoadedThreads) await this.#makeRoom();
      return await load();
    } finally {
      this.#loading--;
    }
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#idleFor(() => recentMs);
    if (oldest === undefined)
      throw invalidRequest(
        `${maxLoadedThreads} threads are loaded, the most that there may be, and all of them are in use; let some go with thread/unsubscribe or thread/archive`,
      );
    await this.#loaded.unload(oldest.id);
  }

  /** Threads unused for this long, the longest first. */
  #idleFor(wait: (thread: LoadedThread) => number): LoadedThread[] {
    const usedAt = (thread: LoadedThread): number => this.#usedAt.get(thread) ?? Number.NEGATIVE_INFINITY;
    const now = this.#now();
    return [...this.#loaded.all.values()]
      .filter((thread) => usedAt(thread) <= now - wait(thread) && this.#isIdle(thread))
      .sort((a, b) => usedAt(a) - usedAt(b));
  }
  #isIdle(thread: LoadedThread): boolean {
    const { parentThreadId } = thread.meta;
    const isNeeded = parentThreadId !== undefined && this.#loaded.all.has(parentThreadId); // its parent may still need it
    return thread.isIdle && !isNeeded;
  }
}
