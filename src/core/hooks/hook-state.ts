/** State that a thread's hooks keep between turns, and its background hooks. */
export type StartSource = "startup" | "resume" | "clear" | "compact";

const maxParallel = 8;
const maxWaiting = 100;
const maxArrived = 100;

export class HookState {
  #startedBy: StartSource | undefined;
  readonly #over = new AbortController();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #arrived: string[] = [];

  /** The reason for which SessionStart hooks must run before the next request. */
  sessionStarts(source: StartSource): void {
    this.#startedBy = source;
  }
  /** Takes the pending reason; undefined when there is none. */
  takeStart(): StartSource | undefined {
    const source = this.#startedBy;
    this.#startedBy = undefined;
    return source;
  }

  /** Whether anything is pending for the next request. */
  get areDue(): boolean {
    return this.#startedBy === "compact" || this.#arrived.length > 0;
  }

  /** Aborted when the thread is unloaded: background hooks end with it. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** False when too many are pending already. */
  inBackground(work: () => Promise<void>): boolean {
    if (this.#over.signal.aborted) return true;
    if (this.#waiting.length >= maxWaiting) return false;
    this.#waiting.push(work);
    this.#startNext();
    return true;
  }

  /** Text for the model from a background hook. */
  arrived(text: string): void {
    if (this.#arrived.length < maxArrived) this.#arrived.push(text);
  }
  takeArrived(): readonly string[] {
    if (this.#arrived.length === 0) return [];
    const taken = this.#arrived;
    this.#arrived = [];
    return taken;
  }

  end(): void {
    this.#waiting.length = 0;
    this.#over.abort();
  }

  #startNext(): void {
    if (this.#running >= maxParallel) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#running++;
    const ended = (): void => {
      this.#running--;
      this.#startNext();
    };
    work().then(ended, ended);
  }
}
