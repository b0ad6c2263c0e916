/** So many of a kind in each stretch of time, and a count of the rest: for log lines and notices that somebody else can cause. */

export interface AllowanceOptions {
  readonly count: number;
  readonly ms: number;
  /** Milliseconds that never run backwards. */
  readonly now?: (() => number) | undefined;
}

export class Allowance {
  readonly #options: AllowanceOptions;
  #from = Number.NEGATIVE_INFINITY;
  #used = 0;
  #missed = 0;

  constructor(options: AllowanceOptions) {
    this.#options = options;
  }

  /** Undefined when the allowance is used up; else how many were refused since the last one that was not. */
  take(): number | undefined {
    const { count, ms, now = () => performance.now() } = this.#options;
    const at = now();
    if (at - this.#from >= ms) {
      this.#from = at;
      this.#used = 0;
    }
    if (this.#used >= count) {
      this.#missed++;
      return undefined;
    }
    this.#used++;
    const missed = this.#missed;
    this.#missed = 0;
    return missed;
  }
}

type Report = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** A report that unknown clients can cause: twenty lines a minute, so that nobody drives everything else out of the log. */
export function sparing(report: Report): Report {
  const allowance = new Allowance({ count: 20, ms: 60_000 });
  return (message, fields) => {
    const left = allowance.take();
    if (left !== undefined) report(message, left === 0 ? fields : { ...fields, leftOut: left });
  };
}
