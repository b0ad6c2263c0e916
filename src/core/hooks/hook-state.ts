/** What the hooks of one thread have to remember between its turns, and those of them that run in the background. */
export type StartSource = "startup" | "resume" | "clear" | "compact";

const sideBySide = 8;
const maxWaiting = 100;
const maxArrived = 100;

export class HookState {
  #startedBy: StartSource | undefined;
  readonly #over = new AbortController();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #arrived: string[] = [];

  /** SessionStart hooks are to run before the next request, for this reason. */
  sessionStarts(source: StartSource): void {
    this.#startedBy = source;
  }
  /** Undefined once they have. */
  takeStart(): StartSource | undefined {
    const source = this.#startedBy;
    this.#startedBy = undefined;
    return source;
  }

  /** Whether something waits for the next request. */
  get areDue(): boolean {
    return this.#startedBy === "compact" || this.#arrived.length > 0;
  }

  /** Aborted when the thread is let go: what runs in the background ends with it. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** False when too many wait already. */
  inBackground(work: () => Promise<void>): boolean {
    if (this.#over.signal.aborted) return true;
    if (this.#waiting.length >= maxWaiting) return false;
    this.#waiting.push(work);
    this.#startNext();
    return true;
  }

  /** Text for the model from a hook that nobody waited for. */
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
    if (this.#running >= sideBySide) return;
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
