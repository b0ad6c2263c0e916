/** One open websocket as a Transport: one JSON message per text frame. Serves both ends, over TCP and unix sockets. */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { Outbox, type ReaderLimits } from "./outbox.ts";
import { type Transport, tooFarBehind } from "./transport.ts";

/** A longer message closes the connection with 1009. */
export const maxMessageBytes = 64 * 1024 * 1024;
/** How long the other side has to answer our close frame. */
const closeGraceMs = 1000;
/** How long a disconnected client has to read what it was sent, which ends with the reason. */
const cutOffGraceMs = 30_000;

const goingAway = 1001;
/** The service restarts: connect again, here or elsewhere. */
export const serviceRestart = 1012;
/** "Try again later": reconnect and resume. */
const tryAgainLater = 1013;
const ignore = (): void => {};

export interface WebSocketTransportOptions {
  readonly kind: "websocket" | "unix";
  readonly limits?: ReaderLimits | undefined;
  /** Called while the other side is behind in reading. */
  readonly behind?: (() => void) | undefined;
}

export class WebSocketTransport implements Transport {
  readonly kind: "websocket" | "unix";
  onMessage: (text: string) => void = ignore;
  onTooLong: (head: string) => void = ignore;
  onClose: (error?: Error) => void = ignore;
  onDrain: () => void = ignore;
  readonly #ws: WebSocket;
  readonly #outbox: Outbox;
  /** The last ping received while the other side was behind. */
  #ping: Buffer | undefined;
  /** Messages that ws had already parsed from its buffer when reading was paused. */
  #inbox: string[] = [];
  #paused = false;
  #closed = false;
  /** Nothing more is read from a client that can no longer be answered. */
  #isCutOff = false;
  #failure: Error | undefined;

  constructor(ws: WebSocket, socket: Socket, options: WebSocketTransportOptions) {
    this.#ws = ws;
    this.kind = options.kind;
    const handlers = { drained: () => this.#drained(), tooSlow: () => this.cutOff(tooFarBehind), behind: options.behind };
    this.#outbox = new Outbox(ws, socket, handlers, options.limits);
    ws.on("message", (data, isBinary) => {
      // never throws: the peer that receives it catches
      if (!isBinary) this.#take(data.toString());
    });
    ws.on("ping", (data) => this.#pong(data)); // never throws: what cannot be sent is dropped
    ws.on("error", (error) => {
      this.#failure = error;
    });
    ws.on("close", (code, reason) => this.#end(code, reason));
  }

  get backlog(): number {
    return this.#outbox.backlog;
  }
  send(json: string): void {
    if (this.#closed || this.#ws.readyState !== this.#ws.OPEN) return;
    this.#outbox.send(json);
  }
  flush(): void {
    this.#outbox.handOver();
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
  close(code: number = goingAway): void {
    if (this.#closed) return;
    this.#outbox.flush();
    this.#ws.close(code);
    setTimeout(() => this.#ws.terminate(), closeGraceMs).unref();
  }
  cutOff(why: string): void {
    if (this.#closed || this.#ws.readyState !== this.#ws.OPEN) return;
    this.#isCutOff = true;
    this.#failure ??= new Error(why);
    this.#outbox.drop();
    this.#ws.close(tryAgainLater, why);
    setTimeout(() => this.#ws.terminate(), cutOffGraceMs).unref();
  }

  #take(text: string): void {
    if (this.#isCutOff) return;
    if (this.#paused) this.#inbox.push(text);
    else this.onMessage(text);
  }
  #drained(): void {
    const ping = this.#ping;
    this.#ping = undefined;
    if (ping !== undefined && this.#ws.readyState === this.#ws.OPEN) this.#ws.pong(ping);
    this.onDrain();
  }
  /** Handled here and not by ws itself: the pongs for a flood of pings from a client that does not read would pile up. Only the last one is answered. */
  #pong(data: Buffer): void {
    if (this.#outbox.isBehind) this.#ping = data;
    else this.#ws.pong(data);
  }
  #end(code: number, reason: Buffer): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outbox.drop();
    if (code === tryAgainLater) this.#failure ??= new Error(reason.toString());
    for (const text of this.#inbox.splice(0)) this.onMessage(text);
    this.onClose(this.#failure);
  }
}
