/**
 * A front's connection to a worker. While the worker cannot be certain that its threads are its own, what it would send waits; if they are
 * not, it is dropped with the connection. So a worker that was stopped and goes on tells nobody anything. Requests that come in a burst are
 * begun in portions.
 */
import type { Portions } from "../lib/portions.ts";
import type { Transport } from "../rpc/transport.ts";

export interface Gate {
  /** Whether messages may be sent now. */
  readonly isCertain: boolean;
  /** Undefined while certain; else resolves when that may have changed. */
  certain(): Promise<void> | undefined;
}

/** What waits for longer than the engine is usually away is not worth more memory. */
const maxWaiting = 32 * 1024 * 1024;

const ignore = (): void => {};

export class GatedTransport implements Transport {
  readonly #inner: Transport;
  readonly #gate: Gate;
  #waiting: string[] = [];
  #size = 0;
  #isDropped = false;
  #inbox: string[] = [];
  #isPaused = false;
  #isClosed = false;
  onMessage: Transport["onMessage"] = ignore;
  onClose: Transport["onClose"] = ignore;

  constructor(inner: Transport, gate: Gate, portions: Portions) {
    this.#inner = inner;
    this.#gate = gate;
    inner.onMessage = (text) => {
      this.#inbox.push(text);
      portions.add(() => this.#deliver(1));
    };
    // Nobody is left to whom an answer could be sent.
    inner.onClose = (error) => {
      this.#isClosed = true;
      this.#inbox = [];
      this.onClose(error);
    };
  }

  #deliver(count: number): void {
    for (let left = count; left > 0 && !this.#isPaused && !this.#isClosed; left--) {
      const next = this.#inbox.shift();
      if (next === undefined) return;
      this.onMessage(next);
    }
  }

  send(json: string): void {
    if (this.#isDropped) return;
    if (this.#waiting.length === 0 && this.#gate.isCertain) return this.#inner.send(json);
    this.#waiting.push(json);
    this.#size += json.length;
    if (this.#size > maxWaiting) return this.drop();
    if (this.#waiting.length === 1) this.#flushLater();
  }

  flush(): void {
    this.#inner.flush?.();
  }

  /** Ends the connection without what waits. */
  drop(): void {
    this.#isDropped = true;
    this.#waiting = [];
    this.#size = 0;
    this.#inner.cutOff("this worker is no longer part of the fleet; look the thread up again");
  }

  #flushLater(): void {
    const again = (): void => {
      if (this.#isDropped) return;
      const waiting = this.#gate.certain();
      if (waiting !== undefined) return void waiting.then(again, () => this.drop());
      const ready = this.#waiting;
      this.#waiting = [];
      this.#size = 0;
      for (const json of ready) this.#inner.send(json);
    };
    // Not at once: a worker that finds itself lost drops its connections before anything else goes on.
    setImmediate(again);
  }

  get backlog(): number {
    return this.#inner.backlog + this.#size;
  }
  get kind(): Transport["kind"] {
    return this.#inner.kind;
  }
  pause(): void {
    this.#isPaused = true;
    this.#inner.pause();
  }
  resume(): void {
    this.#isPaused = false;
    this.#deliver(this.#inbox.length);
    if (!this.#isPaused) this.#inner.resume();
  }
  close(): void {
    this.#inner.close();
  }
  cutOff(why: string): void {
    this.#inner.cutOff(why);
  }
  get onTooLong(): Transport["onTooLong"] {
    return this.#inner.onTooLong;
  }
  set onTooLong(take) {
    this.#inner.onTooLong = take;
  }
  get onDrain(): Transport["onDrain"] {
    return this.#inner.onDrain;
  }
  set onDrain(take) {
    this.#inner.onDrain = take;
  }
}
