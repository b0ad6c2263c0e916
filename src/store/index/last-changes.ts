/**
 * Notices what other programs have written to known files: that leaves no trace in any folder. For lists by last change and for searches;
 * what was found changed is handed to the index.
 */
import { statSync } from "node:fs";
import { hasPassed } from "../../lib/passed.ts";
import type { FileState, SqliteIndex } from "./sqlite-index.ts";

const everyMs = 10_000;
/** Checking this many files takes a few milliseconds; ten thousand would take forty. */
const newestCount = 400;
/** The others are checked in the background, in smaller portions: a list that comes meanwhile waits for half a millisecond at most. */
const checkedAtOnce = 50;
const pauseMs = 2;
/** Whoever opens a window makes several requests in a row: the others are checked after those, */
const sweepAfterMs = 100;
/** or between them, if they do not end. */
const longestWaitMs = 2_000;
/** A timer that is this late shows that the process has other work. */
const lateMs = 4;
const mayBeGone = { throwIfNoEntry: false } as const;

/** On disk, since the index was written. */
export function hasChanged({ path, size, updatedMs }: FileState): boolean {
  const stats = statSync(path, mayBeGone);
  return stats === undefined || stats.size !== size || stats.mtimeMs !== updatedMs;
}

/** One look at all files, in portions. */
interface Sweep {
  /** The key of the last file that was checked. */
  after: number;
  readonly beganMs: number;
}

export interface ChangesOptions {
  readonly now: () => number;
  readonly onChanged: (path: string) => void;
  /** Writes what was found changed into the index. */
  readonly flush: (db: SqliteIndex) => Promise<void>;
}

export class LastChanges {
  readonly #options: ChangesOptions;
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  #requestedAtMs = Number.NEGATIVE_INFINITY;
  #sweep: Sweep | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #isPrepared = false;
  #isEnded = false;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** Call with each list: what runs in the background gives way to those that follow. */
  requested(): void {
    this.#requestedAtMs = this.#options.now();
  }

  /** Whether the first `check` is still to come, */
  get isFirst(): boolean {
    return this.#sweptAtMs === Number.NEGATIVE_INFINITY && this.#sweep === undefined;
  }
  /** and nothing was read for it. */
  get isUnprepared(): boolean {
    return !this.#isPrepared && this.isFirst;
  }
  /** Reads what it needs, so that a request need not wait for that. Files are looked at in `check`. */
  prepare(db: SqliteIndex): void {
    this.#isPrepared = true;
    db.prepareNewest(newestCount);
  }

  /**
   * Call before a list sorted by last change and before a search. Before the first one, the most recently used threads are checked, which in
   * most homes are all; the others follow in the background, now and with later requests. Returns the files that were checked.
   */
  async check(db: SqliteIndex): Promise<readonly string[]> {
    const { now, flush } = this.#options;
    const { isFirst } = this;
    const states = isFirst ? db.newestStates(newestCount) : [];
    this.#compare(states);
    if (isFirst) await flush(db);
    if (!this.#isEnded && this.#sweep === undefined && hasPassed(this.#sweptAtMs, everyMs, now())) {
      this.#sweep = { after: 0, beganMs: now() };
      this.#goOn(db, sweepAfterMs);
    }
    return states.map((state) => state.path);
  }

  /** For an index that was made anew. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#sweep = undefined;
    this.#sweptAtMs = Number.NEGATIVE_INFINITY;
  }
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#checking;
  }

  #compare(states: readonly FileState[]): void {
    for (const state of states) if (hasChanged(state)) this.#options.onChanged(state.path);
  }

  #goOn(db: SqliteIndex, ms: number): void {
    const sweep = this.#sweep;
    if (this.#isEnded || sweep === undefined) return;
    const dueMs = performance.now() + ms;
    this.#timer = setTimeout(() => {
      const isBusy = performance.now() - dueMs > lateMs;
      const nowMs = this.#options.now();
      const isAsked = !hasPassed(this.#requestedAtMs, sweepAfterMs, nowMs);
      if ((isAsked || isBusy) && !hasPassed(sweep.beganMs, longestWaitMs, nowMs)) return this.#goOn(db, sweepAfterMs);
      this.#checking = this.#checkNext(db, sweep);
    }, ms).unref();
  }

  async #checkNext(db: SqliteIndex, sweep: Sweep): Promise<void> {
    try {
      const { states, last } = db.statesAfter(sweep.after, checkedAtOnce);
      this.#compare(states);
      await this.#options.flush(db);
      if (this.#sweep !== sweep) return;
      sweep.after = last;
      if (states.length > 0) return this.#goOn(db, pauseMs);
      this.#sweptAtMs = this.#options.now();
    } catch {} // the next list meets the same trouble, and repairs what can be repaired
    if (this.#sweep === sweep) this.#sweep = undefined;
  }
}
