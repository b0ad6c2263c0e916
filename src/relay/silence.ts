/**
 * Notices that a process which should answer does not: it is stopped, or stuck. Counts looks without a sign of life instead of reading the
 * clock, so that a pause of our own process is not taken for one of the other.
 */

export interface SilenceEvents {
  /** Whether a sign of life is due. */
  isExpected(): boolean;
  /** Asks for a sign of life. */
  ping(): void;
  /** None has come. */
  silent(): void;
  /** One has come after all. */
  woke(): void;
}

const lookMs = 1000;
/** Looks without a sign of life after which a process counts as silent. */
const patience = 5;

export class Silence {
  readonly #events: SilenceEvents;
  #timer: NodeJS.Timeout | undefined;
  #quiet = 0;
  #isSilent = false;

  constructor(events: SilenceEvents) {
    this.#events = events;
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** A sign of life may be due from here on. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
  }

  heard(): void {
    this.#quiet = 0;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#events.woke();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#isSilent) return;
    if (!this.#events.isExpected()) {
      this.#quiet = 0;
      return this.end();
    }
    this.#quiet++;
    if (this.#quiet === 1) return; // what was sent just now may need a moment
    if (this.#quiet <= patience) return this.#events.ping();
    this.#isSilent = true;
    this.#events.silent();
  }
}
