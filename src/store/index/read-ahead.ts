/**
 * What the next list probably needs, read while its client works on the answer to the last one. It counts only while nothing has been
 * written since, and no file is looked at for it: that is done when it is asked for.
 */

interface Kept<T> {
  readonly key: string;
  readonly version: number;
  readonly value: T;
}

/** One value, for one use. */
export class Prepared<T> {
  #kept: Kept<T> | undefined;

  /** `version` changes when another connection has written; whoever writes through this one calls `clear`. */
  keep(key: string, version: number, value: T): void {
    this.#kept = { key, version, value };
  }
  take(key: string, version: number): T | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    return kept?.key === key && kept.version === version ? kept.value : undefined;
  }
  clear(): void {
    this.#kept = undefined;
  }
}

export class ReadAhead {
  #planned: (() => void) | undefined;

  /** Runs once the answer that is being made has been sent, unless another list comes first. */
  plan(work: () => void): void {
    this.#planned = work;
    // Answers leave in the first of the two.
    setImmediate(() => setImmediate(() => this.#run(work)));
  }
  cancel(): void {
    this.#planned = undefined;
  }
  #run(work: () => void): void {
    if (this.#planned !== work) return;
    this.#planned = undefined;
    try {
      work();
    } catch {} // the next list meets the same trouble, and repairs what can be repaired
  }
}
