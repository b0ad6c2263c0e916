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
  keep(key: string, version: number, value: T): T {
    this.#kept = { key, version, value };
    return value;
  }
  take(key: string, version: number): T | undefined {
    const kept = this.#kept;
    if (kept?.key !== key) return undefined;
    this.#kept = undefined;
    return kept.version === version ? kept.value : undefined;
  }
  clear(): void {
    this.#kept = undefined;
  }
}

type Step = () => void;

export class ReadAhead {
  #planned: readonly Step[] = [];

  /** Runs once the answer that is being made has been sent, one step in each turn of the loop, until another list comes. */
  plan(steps: readonly Step[]): void {
    this.#planned = steps;
    // Answers leave in the first of the two.
    if (steps.length > 0) setImmediate(() => setImmediate(() => this.#run(steps)));
  }
  cancel(): void {
    this.#planned = [];
  }
  #run(steps: readonly Step[]): void {
    const [step, ...others] = steps;
    if (this.#planned !== steps || step === undefined) return;
    this.#planned = others;
    try {
      step();
    } catch {
      return; // the next list meets the same trouble, and repairs what can be repaired
    }
    if (others.length > 0) setImmediate(() => this.#run(others));
  }
}
