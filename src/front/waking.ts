/**
 * Notices that this process was stopped and goes on. What clients of a front sent meanwhile waits for a moment then: until it is known who has
 * left, since whoever went on at another front has asked there again.
 */
const tickMs = 500;
/** Clients that wait for less have not gone elsewhere. */
const stoppedMs = 2000;
/** By then the system has said which connections have ended. */
const settleMs = 100;

export class Waking {
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #tickedAt: number;
  /** Since the process goes on. */
  #waiting: (() => void)[] | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#tickedAt = now();
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  /** Does it at once, or in a moment; in the order of the calls. */
  run(work: () => void): void {
    if (this.#waiting === undefined && this.#now() - this.#tickedAt < stoppedMs) return work();
    this.#hold().push(work);
  }
  close(): void {
    clearInterval(this.#timer);
  }

  /** It may be the first thing that happens after a stop. */
  #tick(): void {
    if (this.#now() - this.#tickedAt >= stoppedMs) this.#hold();
    this.#tickedAt = this.#now();
  }
  #hold(): (() => void)[] {
    if (this.#waiting === undefined) setTimeout(() => this.#release(), settleMs);
    this.#waiting ??= [];
    return this.#waiting;
  }
  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#tickedAt = this.#now();
    for (const work of waiting) work();
  }
}
