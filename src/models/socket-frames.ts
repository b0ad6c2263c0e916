/** Reads websocket frames one at a time; the connection is paused while nothing reads. */
import type { RawData, WebSocket } from "ws";
import { HttpFailure } from "./http/exchange.ts";

/** The most buffered text; more pauses the connection. */
const holdLength = 256 * 1024;

export class SocketFrames {
  readonly #socket: WebSocket;
  #waiting: string[] = [];
  #size = 0;
  #failure: HttpFailure | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: RawData, isBinary: boolean) => {
      // never throws: stored for the pending read
      if (isBinary) return this.#fail("the provider sent bytes where text was expected");
      const text = textOf(data);
      this.#waiting.push(text);
      this.#size += text.length;
      if (this.#size > holdLength) socket.pause();
      this.#notify();
    });
    socket.on("close", (code, reason) => this.#fail(`the connection was closed (${code}${reason.length === 0 ? "" : ` ${reason}`})`));
    socket.on("error", (error) => this.#fail(error.message));
  }

  /** Rejects with HttpFailure when the connection ends or is silent for too long, or with the signal's reason. */
  async next(signal: AbortSignal, idleMs: number): Promise<string> {
    while (true) {
      signal.throwIfAborted();
      const [first] = this.#waiting;
      if (first !== undefined) return this.#take(first);
      if (this.#failure !== undefined) throw this.#failure;
      await this.#arrival(signal, idleMs);
    }
  }

  /** Between answers nothing is expected: late frames belong to an answer that is no longer read. */
  rest(): void {
    this.#waiting = [];
    this.#size = 0;
  }

  #take(text: string): string {
    this.#waiting.shift();
    this.#size -= text.length;
    if (this.#socket.isPaused && this.#size <= holdLength) this.#socket.resume();
    return text;
  }

  #arrival(signal: AbortSignal, idleMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const idle = setTimeout(
        () => done(() => reject(new HttpFailure("idle", `nothing arrived for ${idleMs} ms`))),
        Math.min(idleMs, 2 ** 31 - 1),
      );
      const abort = (): void => done(() => reject(signal.reason));
      const done = (settle: () => void): void => {
        clearTimeout(idle);
        signal.removeEventListener("abort", abort);
        this.#wake = undefined;
        settle();
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#wake = () => done(resolve);
    });
  }

  #notify(): void {
    this.#wake?.();
  }

  #fail(why: string): void {
    this.#failure ??= new HttpFailure("body", why);
    this.#notify();
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}
