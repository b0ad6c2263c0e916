/** Rate limit for log lines and notices that others can cause: so many per interval, and a count of the rest. */

export interface AllowanceOptions {
  readonly count: number;
  readonly ms: number;
  /** Monotonic milliseconds. */
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

  /** Undefined when the limit is reached; otherwise how many were refused since the last accepted one. */
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

/** For reports that unknown clients can cause: twenty lines a minute, so that nobody crowds everything else out of the log. */
export function sparing(report: Report): Report {
  const allowance = new Allowance({ count: 20, ms: 60_000 });
  return (message, fields) => {
    const left = allowance.take();
    if (left !== undefined) report(message, left === 0 ? fields : { ...fields, leftOut: left });
  };
}
