/**
 * Notices what other programs have written to known files: that leaves no trace in any folder. For lists by last change and for searches;
 * what was found changed is handed to the index.
 */
import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { hasPassed } from "../../lib/passed.ts";
import type { FileState, SqliteIndex } from "./sqlite-index.ts";

const everyMs = 10_000;
/** Checking this many files takes a few milliseconds; ten thousand would take forty. */
const newestCount = 400;
/** The others are checked in the background, in smaller portions: a list that comes meanwhile waits for half a millisecond at most. */
const checkedAtOnce = 50;
const pauseMs = 2;
/** Whoever opens a window makes several requests in a row: the others are checked after those. */
const sweepAfterMs = 100;

export interface ChangesOptions {
  readonly now: () => number;
  readonly onChanged: (path: string) => void;
  /** Writes what was found changed into the index. */
  readonly flush: (db: SqliteIndex) => Promise<void>;
}

export class LastChanges {
  readonly #options: ChangesOptions;
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /**
   * Call before a list sorted by last change and before a search. Before the first one, the most recently used threads are checked, which in
   * most homes are all; the others follow in the background, now and with later requests.
   */
  async check(db: SqliteIndex): Promise<void> {
    const { now, flush } = this.#options;
    if (this.#sweptAtMs === Number.NEGATIVE_INFINITY && !this.#isSweeping) {
      this.#compare(db.newestStates(newestCount));
      await flush(db);
    }
    if (this.#isEnded || this.#isSweeping || !hasPassed(this.#sweptAtMs, everyMs, now())) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sweeping = this.#sweep(db).finally(() => {
        this.#sweeping = undefined;
      });
    }, sweepAfterMs).unref();
  }

  /** For an index that was made anew. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sweptAtMs = Number.NEGATIVE_INFINITY;
  }
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  get #isSweeping(): boolean {
    return this.#timer !== undefined || this.#sweeping !== undefined;
  }
  #compare(states: readonly FileState[]): void {
    for (const { path, size, updatedMs } of states) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined || stats.size !== size || stats.mtimeMs !== updatedMs) this.#options.onChanged(path);
    }
  }

  async #sweep(db: SqliteIndex): Promise<void> {
    try {
      for (let after = 0; !this.#isEnded; ) {
        const { states, last } = db.statesAfter(after, checkedAtOnce);
        if (states.length === 0) break;
        this.#compare(states);
        after = last;
        await this.#options.flush(db);
        await sleep(pauseMs);
      }
      this.#sweptAtMs = this.#options.now();
    } catch {} // the next list meets the same trouble, and repairs what can be repaired
  }
}
