/** What waits for the reader of one websocket. It is handed over piece by piece, so that a reader who does not read costs a list of texts that others share, and no buffers. */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type Transport, tooFarBehind } from "./transport.ts";

/** So much is with the socket at once; above a socket's own mark, so that it says when it has sent it. */
const pieceBytes = 128 * 1024;
/** Slower than this a reader counts as one that does not read. */
const leastBytesPerSecond = 16 * 1024;

/** When a reader that is behind is cut off. */
export interface ReaderLimits {
  /** Characters that may wait for one reader. */
  readonly backlog: number;
  /** How long a reader may take nothing while more than a piece waits for it. */
  readonly stallMs: number;
}
export const readerLimits: ReaderLimits = { backlog: 128 * 1024 * 1024, stallMs: 120_000 };

export interface OutboxHandlers {
  /** Everything was taken. */
  drained(): void;
  /** The reader exceeded a limit. */
  tooSlow(): void;
  /** More waits than a piece. */
  behind?: (() => void) | undefined;
}

export class Outbox {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #handlers: OutboxHandlers;
  readonly #limits: ReaderLimits;
  #texts: string[] = [];
  #next = 0;
  #length = 0;
  #isScheduled = false;
  #isDropped = false;
  /** Runs while the reader is behind; what it takes sets it back. */
  #stall: NodeJS.Timeout | undefined;

  constructor(ws: WebSocket, socket: Socket, handlers: OutboxHandlers, limits: ReaderLimits = readerLimits) {
    this.#ws = ws;
    this.#socket = socket;
    this.#handlers = handlers;
    this.#limits = limits;
    socket.on("drain", () => this.#drained());
  }

  /** Characters that wait here, and bytes that wait in the socket. */
  get backlog(): number {
    return this.#length + this.#socket.writableLength;
  }
  /** The socket has as much as it should have. */
  get isBehind(): boolean {
    return this.#socket.writableLength > pieceBytes;
  }
  /** All of one tick leave together. */
  send(text: string): void {
    if (this.#isDropped) return;
    this.#texts.push(text);
    this.#length += text.length;
    if (this.backlog > this.#limits.backlog) return this.#handlers.tooSlow();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#handOver();
    });
  }
  /** Hands over all that is left, however much it is: before a close frame. */
  flush(): void {
    this.#handPiece(Number.POSITIVE_INFINITY);
    clearTimeout(this.#stall);
  }
  /** What was not handed over is forgotten, and nothing more is taken. */
  drop(): void {
    this.#isDropped = true;
    this.#texts = [];
    this.#next = 0;
    this.#length = 0;
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }

  #handOver(): void {
    while (this.#next < this.#texts.length && !this.isBehind) this.#handPiece(pieceBytes);
    if (!this.isBehind) return;
    this.#handlers.behind?.();
    if (!this.#isDropped) this.#stall ??= this.#startStall();
  }
  #handPiece(bytes: number): void {
    this.#socket.cork();
    while (this.#next < this.#texts.length && this.#socket.writableLength <= bytes) {
      const text = this.#texts[this.#next++] ?? "";
      this.#length -= text.length;
      this.#ws.send(text);
    }
    this.#socket.uncork();
    if (this.#next * 2 < this.#texts.length) return;
    this.#texts = this.#texts.slice(this.#next);
    this.#next = 0;
  }
  #drained(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#handOver();
    if (this.#length === 0 && this.#socket.writableLength === 0) this.#handlers.drained();
  }
  /** A long message leaves in one piece, and nobody says how much of it was taken: it has its time at the least pace. */
  #startStall(): NodeJS.Timeout {
    const ms = this.#limits.stallMs + (this.#socket.writableLength / leastBytesPerSecond) * 1000;
    return setTimeout(() => this.#handlers.tooSlow(), ms).unref();
  }
}

/** What may wait for all readers of one listener together. */
const maxTogether = 512 * 1024 * 1024;

/** Many readers that are each within their limits may still be too much: then the one that is furthest behind is cut off. */
export function cutFurthestBehind(all: Iterable<Pick<Transport, "backlog" | "cutOff">>, most: number = maxTogether): void {
  let total = 0;
  let furthest: Pick<Transport, "backlog" | "cutOff"> | undefined;
  for (const one of all) {
    total += one.backlog;
    if (furthest === undefined || one.backlog > furthest.backlog) furthest = one;
  }
  if (total > most) furthest?.cutOff(tooFarBehind);
}
