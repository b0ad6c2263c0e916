/** One open websocket as a Transport: one JSON message in each text frame. Serves both ends, over TCP and unix sockets. */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { type Transport, tooFarBehind } from "./transport.ts";

/** A longer message closes the connection with 1009. */
export const maxMessageBytes = 64 * 1024 * 1024;
/** A reader that leaves more than this unread is cut off: one stuck client must not fill the memory of all. */
const maxBacklog = 128 * 1024 * 1024;
/** How long the other side has to answer our close frame. */
const closeGraceMs = 1000;
/** How long a reader that was cut off has to come to the end of what it was sent, where it hears why. */
const cutOffGraceMs = 10_000;

const goingAway = 1001;
/** "Try again later": connect anew and resume. */
const tryAgainLater = 1013;
const ignore = (): void => {};

export class WebSocketTransport implements Transport {
  readonly kind: "websocket" | "unix";
  onMessage: (text: string) => void = ignore;
  onTooLong: (head: string) => void = ignore;
  onClose: (error?: Error) => void = ignore;
  onDrain: () => void = ignore;
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  #outbox: string[] = [];
  #queued = 0;
  #scheduled = false;
  /** Messages that ws had already cut out of its buffer when reading was paused. */
  #inbox: string[] = [];
  #paused = false;
  #closed = false;
  /** Nothing more is read of a client that cannot be answered any more. */
  #isCutOff = false;
  #failure: Error | undefined;

  constructor(ws: WebSocket, socket: Socket, kind: "websocket" | "unix") {
    this.#ws = ws;
    this.#socket = socket;
    this.kind = kind;
    ws.on("message", (data, isBinary) => {
      if (!isBinary) this.#take(data.toString());
    });
    ws.on("ping", (data) => this.#pong(data));
    ws.on("error", (error) => {
      this.#failure = error;
    });
    ws.on("close", () => this.#end());
    socket.on("drain", () => this.onDrain());
  }

  get backlog(): number {
    return this.#queued + this.#socket.writableLength;
  }
  send(json: string): void {
    if (this.#closed || this.#ws.readyState !== this.#ws.OPEN) return;
    this.#outbox.push(json);
    this.#queued += json.length;
    if (this.backlog > maxBacklog) return this.cutOff(tooFarBehind);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }
  pause(): void {
    this.#paused = true;
    this.#ws.pause();
  }
  resume(): void {
    this.#paused = false;
    while (!this.#paused) {
      const next = this.#inbox.shift();
      if (next === undefined) return this.#ws.resume();
      this.onMessage(next);
    }
  }
  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#ws.close(goingAway);
    setTimeout(() => this.#ws.terminate(), closeGraceMs).unref();
  }
  cutOff(why: string): void {
    if (this.#closed || this.#ws.readyState !== this.#ws.OPEN) return;
    this.#isCutOff = true;
    this.#failure ??= new Error(why);
    this.#outbox = [];
    this.#queued = 0;
    this.#ws.close(tryAgainLater, why);
    setTimeout(() => this.#ws.terminate(), cutOffGraceMs).unref();
  }

  #take(text: string): void {
    if (this.#isCutOff) return;
    if (this.#paused) this.#inbox.push(text);
    else this.onMessage(text);
  }
  #flush(): void {
    this.#scheduled = false;
    const outbox = this.#outbox;
    this.#outbox = [];
    this.#queued = 0;
    this.#socket.cork();
    for (const json of outbox) this.#ws.send(json);
    this.#socket.uncork();
  }
  /** Answered here and not by ws itself: a flood of pings from a client that does not read would grow without end. */
  #pong(data: Buffer): void {
    if (this.backlog > maxBacklog) this.cutOff(tooFarBehind);
    else this.#ws.pong(data);
  }
  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const text of this.#inbox.splice(0)) this.onMessage(text);
    this.onClose(this.#failure);
  }
}
