/** The send queue of one websocket. It is written in chunks, so that a client that does not read costs a list of shared strings, and no buffers. */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type Transport, tooFarBehind } from "./transport.ts";

/** Maximum amount in the socket at once; above the socket's high-water mark, so that it emits a drain event. */
const pieceBytes = 128 * 1024;
/** A slower reader counts as one that does not read. */
const leastBytesPerSecond = 16 * 1024;

/** When a slow reader is disconnected. */
export interface ReaderLimits {
  /** Maximum number of characters waiting for one reader. */
  readonly backlog: number;
  /** How long a reader may read nothing while more than one chunk is waiting for it. */
  readonly stallMs: number;
}
export const readerLimits: ReaderLimits = { backlog: 128 * 1024 * 1024, stallMs: 120_000 };

export interface OutboxHandlers {
  /** Everything was sent. */
  drained(): void;
  /** The reader exceeded a limit. */
  tooSlow(): void;
  /** More than one chunk is waiting. */
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
  /** Runs while the reader is behind; reset when it reads something. */
  #stall: NodeJS.Timeout | undefined;

  constructor(ws: WebSocket, socket: Socket, handlers: OutboxHandlers, limits: ReaderLimits = readerLimits) {
    this.#ws = ws;
    this.#socket = socket;
    this.#handlers = handlers;
    this.#limits = limits;
    socket.on("drain", () => this.#drained());
  }

  /** Characters waiting here, plus bytes waiting in the socket. */
  get backlog(): number {
    return this.#length + this.#socket.writableLength;
  }
  /** The socket's buffer is full. */
  get isBehind(): boolean {
    return this.#socket.writableLength > pieceBytes;
  }
  /** Messages of one tick are sent together. */
  send(text: string): void {
    if (this.#isDropped) return;
    this.#texts.push(text);
    this.#length += text.length;
    if (this.backlog > this.#limits.backlog) return this.#handlers.tooSlow();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.handOver();
    });
  }
  /** Writes everything that is left, regardless of its size: before a close frame. */
  flush(): void {
    this.#handPiece(Number.POSITIVE_INFINITY);
    clearTimeout(this.#stall);
  }
  /** Discards everything that was not written yet, and accepts no more. */
  drop(): void {
    this.#isDropped = true;
    this.#texts = [];
    this.#next = 0;
    this.#length = 0;
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }

  /** Writes what the socket takes now; the rest follows as it is read. */
  handOver(): void {
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
    this.handOver();
    if (this.#length === 0 && this.#socket.writableLength === 0) this.#handlers.drained();
  }
  /** A long message is written in one chunk, without progress information: its time limit follows from the minimum rate. */
  #startStall(): NodeJS.Timeout {
    const ms = this.#limits.stallMs + (this.#socket.writableLength / leastBytesPerSecond) * 1000;
    return setTimeout(() => this.#handlers.tooSlow(), ms).unref();
  }
}

/** Maximum backlog of all readers of one listener together. */
const maxTogether = 512 * 1024 * 1024;

/** Many readers within their own limits may still be too much together: then the one furthest behind is disconnected. */
export function cutFurthestBehind(all: Iterable<Pick<Transport, "backlog" | "cutOff">>, most: number = maxTogether): void {
  let total = 0;
  let furthest: Pick<Transport, "backlog" | "cutOff"> | undefined;
  for (const one of all) {
    total += one.backlog;
    if (furthest === undefined || one.backlog > furthest.backlog) furthest = one;
  }
  if (total > most) furthest?.cutOff(tooFarBehind);
}
