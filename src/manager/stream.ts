/** The event websocket: what each client receives, from which event on, and how a slow client is handled. */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { parse } from "../lib/schema.ts";
import { Outbox } from "../rpc/outbox.ts";
import { tooFarBehind } from "../rpc/transport.ts";
import { defaultFamilies, type Family, families, StreamCommand, type StreamControl } from "./events.ts";
import type { Hub, Received, Subscriber } from "./hub.ts";

/** A socket that is further behind than this is closed; it reconnects and receives what it missed. All sockets together stay within `together`. */
const maxBehind = 8 * 1024 * 1024;
const together = 256 * 1024 * 1024;
const tryAgainLater = 1013;
/** How long a socket that is closed for being behind has to read what it was sent. */
const closeGraceMs = 30_000;
const heartbeatMs = 30_000;
/** Commands per second: a client that sends more is broken. */
const maxCommands = 50;

export interface StreamStart {
  readonly threadId?: string | undefined;
  readonly since?: number | undefined;
  readonly bootId?: string | undefined;
  readonly families?: string | undefined;
}

/** A websocket and its underlying connection. */
export interface OpenSocket {
  readonly ws: WebSocket;
  readonly socket: Socket;
}

/** One open event stream. `watching` returns the sessions it follows. */
export class EventStream {
  readonly #hub: Hub;
  readonly #socket: WebSocket;
  readonly #outbox: Outbox;
  readonly #subscriber: Subscriber;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #alive = true;
  #commands = 0;
  /** No event that matches the filter was omitted after this number. */
  #since: number;

  constructor(hub: Hub, { ws: socket, socket: below }: OpenSocket, start: StreamStart, onClose: () => void) {
    this.#hub = hub;
    this.#socket = socket;
    this.#outbox = new Outbox(socket, below, { drained: () => {}, tooSlow: () => this.#cutOff() });
    this.#subscriber = {
      threads: start.threadId === undefined ? null : new Set([start.threadId]),
      families: new Set(familiesFrom(start.families) ?? defaultFamilies),
      send: (json) => this.#send(json),
    };
    this.#control({ type: "ready", threadId: start.threadId ?? null, seq: hub.seq, bootId: hub.bootId });
    this.#since = hub.seq;
    if (start.since !== undefined && this.#replay(start.since, start.bootId, undefined) !== undefined) this.#since = start.since;
    hub.join(this.#subscriber);
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    socket.on("pong", () => {
      this.#alive = true;
    });
    socket.on("message", (data, isBinary) => {
      try {
        this.#receive(isBinary ? "" : data.toString());
      } catch {
        socket.terminate(); // thrown into the socket's reader, it would leave the connection open but unread
      }
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clearInterval(this.#heartbeat);
      this.#outbox.drop();
      hub.leave(this.#subscriber);
      onClose();
    });
  }

  get watching(): ReadonlySet<string> {
    return this.#subscriber.threads ?? new Set();
  }

  close(): void {
    this.#outbox.flush();
    this.#socket.close(1001);
    setTimeout(() => this.#socket.terminate(), 500).unref();
  }

  #receive(text: string): void {
    this.#alive = true;
    if (++this.#commands > maxCommands) return this.#socket.terminate();
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      message = undefined;
    }
    const command = parse(StreamCommand, message);
    if (command === undefined) return this.#control({ type: "error", message: "invalid websocket command" });
    if (command.type === "ping") return this.#control({ type: "pong" });
    if (command.type === "unsubscribe") {
      this.#subscriber.threads = null;
      this.#since = this.#hub.seq;
      return;
    }
    this.#subscribe(command);
  }

  #subscribe(command: Extract<StreamCommand, { type: "subscribe" }>): void {
    const received = { threads: this.#subscriber.threads, families: this.#subscriber.families, since: this.#since };
    const wanted = command.threadIds ?? (command.threadId == null ? [] : [command.threadId]);
    const all = wanted.includes("*") || (command.threadIds == null && command.threadId == null);
    this.#subscriber.threads = all ? null : new Set(wanted.slice(0, 1000));
    if (command.families != null) this.#subscriber.families = new Set(command.families);
    this.#hub.familiesChanged(this.#subscriber);
    const replayed = command.since == null ? undefined : this.#replay(command.since, command.bootId ?? undefined, received);
    this.#since = replayed === undefined ? this.#hub.seq : (command.since ?? this.#hub.seq);
    this.#control({
      type: "subscribed",
      threadIds: all ? "*" : [...(this.#subscriber.threads ?? [])],
      seq: this.#hub.seq,
      bootId: this.#hub.bootId,
      replayed: replayed ?? 0,
    });
  }

  /** The number of replayed events; undefined if some are no longer stored, and the client is notified of that. */
  #replay(since: number, bootId: string | undefined, received: Received | undefined): number | undefined {
    const other = bootId !== undefined && bootId !== this.#hub.bootId;
    const count = other ? undefined : this.#hub.replay(this.#subscriber, since, received);
    if (typeof count === "number") return count;
    this.#control({ type: "resync", seq: this.#hub.seq, bootId: this.#hub.bootId, reason: count ?? "the manager was restarted" });
    return undefined;
  }

  #control(message: StreamControl): void {
    this.#send(JSON.stringify(message));
  }

  #send(json: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#outbox.backlog <= Math.min(maxBehind, together / this.#hub.listeners)) this.#outbox.send(json);
    else this.#cutOff();
  }

  #cutOff(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#outbox.drop();
    this.#socket.close(tryAgainLater, tooFarBehind);
    setTimeout(() => this.#socket.terminate(), closeGraceMs).unref();
  }

  #beat(): void {
    this.#commands = 0;
    if (!this.#alive) return this.#cutOff();
    this.#alive = false;
    this.#socket.ping();
  }
}

function familiesFrom(text: string | undefined): readonly Family[] | undefined {
  if (text === undefined || text === "") return undefined;
  const wanted = text.split(",");
  return families.filter((f) => wanted.includes(f));
}
