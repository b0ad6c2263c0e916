/** Which loaded threads can be let go: those that nobody watches and in which nothing happens. The next resume reads them again. */
import { invalidRequest } from "../../protocol/errors.ts";
import { maxLoadedThreads } from "../settings/count-limits.ts";

/** One that was asked for so recently may be about to be watched. */
const recentMs = 1000;

interface LoadedThread {
  readonly id: string;
  readonly meta: { readonly parentThreadId?: string | undefined };
  /** Nothing runs in it, and nobody watches it. */
  readonly isIdle: boolean;
  /** How long it stays loaded when nobody watches it. */
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
  /** Those that are being loaded. */
  #coming = 0;
  readonly #usedAt = new WeakMap<LoadedThread, number>();

  constructor(loaded: Loaded, now: () => number) {
    this.#loaded = loaded;
    this.#now = now;
  }

  /** Somebody asked for the thread. */
  used(thread: LoadedThread): void {
    this.#usedAt.set(thread, this.#now());
  }

  /** To be called now and then. */
  async unloadUnwatched(): Promise<void> {
    for (const thread of this.#idleFor(({ unloadAfterMs }) => unloadAfterMs)) await this.#loaded.unload(thread.id);
  }

  /** Loads one more, for which another one goes if need be. Throws where all that are loaded are in use. */
  async withRoom<T>(load: () => Promise<T>): Promise<T> {
    this.#coming++;
    try {
      if (this.#loaded.all.size + this.#coming > maxLoadedThreads) await this.#makeRoom();
      return await load();
    } finally {
      this.#coming--;
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

  /** Those that were not used for so long, the longest first. */
  #idleFor(wait: (thread: LoadedThread) => number): LoadedThread[] {
    const usedAt = (thread: LoadedThread): number => this.#usedAt.get(thread) ?? Number.NEGATIVE_INFINITY;
    const now = this.#now();
    return [...this.#loaded.all.values()]
      .filter((thread) => usedAt(thread) <= now - wait(thread) && this.#isIdle(thread))
      .sort((a, b) => usedAt(a) - usedAt(b));
  }
  #isIdle(thread: LoadedThread): boolean {
    const { parentThreadId } = thread.meta;
    const isNeeded = parentThreadId !== undefined && this.#loaded.all.has(parentThreadId); // its parent may ask for it
    return thread.isIdle && !isNeeded;
  }
}
