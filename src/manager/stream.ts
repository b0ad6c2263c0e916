/** The websocket of events: what each client hears, from where on, and what happens to one that does not keep up. */
import type { WebSocket } from "ws";
import { parse } from "../lib/schema.ts";
import { defaultFamilies, type Family, families, StreamCommand, type StreamControl } from "./events.ts";
import type { Heard, Hub, Subscriber } from "./hub.ts";

/** A socket that is further behind than this is closed; it comes back and is sent what it missed. */
const maxBehind = 8 * 1024 * 1024;
const tryAgainLater = 1013;
const heartbeatMs = 30_000;
/** Commands in a second: a client that sends more is broken. */
const maxCommands = 50;

export interface StreamStart {
  readonly threadId?: string | undefined;
  readonly since?: number | undefined;
  readonly bootId?: string | undefined;
  readonly families?: string | undefined;
}

/** One open event stream. `watching` says which sessions it follows. */
export class EventStream {
  readonly #hub: Hub;
  readonly #socket: WebSocket;
  readonly #subscriber: Subscriber;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #alive = true;
  #commands = 0;
  /** The number after which nothing that fits the filter was left out. */
  #since: number;

  constructor(hub: Hub, socket: WebSocket, start: StreamStart, onClose: () => void) {
    this.#hub = hub;
    this.#socket = socket;
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
    socket.on("message", (data, isBinary) => this.#receive(isBinary ? "" : data.toString()));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clearInterval(this.#heartbeat);
      hub.leave(this.#subscriber);
      onClose();
    });
  }

  get watching(): ReadonlySet<string> {
    return this.#subscriber.threads ?? new Set();
  }

  close(): void {
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
    const heard = { threads: this.#subscriber.threads, families: this.#subscriber.families, since: this.#since };
    const wanted = command.threadIds ?? (command.threadId == null ? [] : [command.threadId]);
    const all = wanted.includes("*") || (command.threadIds == null && command.threadId == null);
    this.#subscriber.threads = all ? null : new Set(wanted.slice(0, 1000));
    if (command.families != null) this.#subscriber.families = new Set(command.families);
    this.#hub.wanted(this.#subscriber);
    const replayed = command.since == null ? undefined : this.#replay(command.since, command.bootId ?? undefined, heard);
    this.#since = replayed === undefined ? this.#hub.seq : (command.since ?? this.#hub.seq);
    this.#control({
      type: "subscribed",
      threadIds: all ? "*" : [...(this.#subscriber.threads ?? [])],
      seq: this.#hub.seq,
      bootId: this.#hub.bootId,
      replayed: replayed ?? 0,
    });
  }

  /** How many events were sent again; undefined when some are no longer kept, which the client is told. */
  #replay(since: number, bootId: string | undefined, heard: Heard | undefined): number | undefined {
    const other = bootId !== undefined && bootId !== this.#hub.bootId;
    const count = other ? undefined : this.#hub.replay(this.#subscriber, since, heard);
    if (count !== undefined) return count;
    this.#control({
      type: "resync",
      seq: this.#hub.seq,
      bootId: this.#hub.bootId,
      reason: other ? "the manager was restarted" : "the events are no longer kept",
    });
    return undefined;
  }

  #control(message: StreamControl): void {
    this.#send(JSON.stringify(message));
  }

  #send(json: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > maxBehind) return this.#socket.close(tryAgainLater);
    this.#socket.send(json);
  }

  #beat(): void {
    this.#commands = 0;
    if (!this.#alive) return this.#socket.terminate();
    this.#alive = false;
    this.#socket.ping();
  }
}

function familiesFrom(text: string | undefined): readonly Family[] | undefined {
  if (text === undefined || text === "") return undefined;
  const wanted = text.split(",");
  return families.filter((f) => wanted.includes(f));
}
