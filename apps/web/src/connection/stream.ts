/** The manager's event stream: reconnects after every break and continues where it stopped. */
import type { StreamControl, StreamEvent } from "../../../../src/manager/events.ts";
import { type Listener, Refused } from "./connection.ts";
import type { Http, PageKey } from "./http.ts";

/** Delays between reconnection attempts, in ms: short at first, then longer. */
const backoff = [250, 500, 1000, 2000, 4000, 8000, 15_000];
const heartbeatMs = 20_000;

export class Stream {
  readonly #listener: Listener;
  readonly #http: Http;
  readonly #key: PageKey;
  #socket: WebSocket | undefined;
  #watched: readonly string[] = [];
  #seq = 0;
  #bootId = "";
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #alive = true;
  #closed = false;
  /** Events that a new socket sends before it has replayed all missed ones; the replayed ones are older, and come first. */
  #early: StreamEvent[] | undefined;

  constructor(listener: Listener, http: Http, key: PageKey) {
    this.#listener = listener;
    this.#http = http;
    this.#key = key;
    this.#connect();
    addEventListener("online", this.#retryNow);
    document.addEventListener("visibilitychange", this.#retryNow);
  }

  watch(sessionIds: readonly string[]): void {
    this.#watched = sessionIds;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#subscribe(this.#socket);
  }

  close(): void {
    this.#closed = true;
    removeEventListener("online", this.#retryNow);
    document.removeEventListener("visibilitychange", this.#retryNow);
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    this.#socket?.close();
  }

  /** A laptop that wakes up should not wait out a long delay, nor the delay after an earlier failed attempt. */
  readonly #retryNow = (): void => {
    this.#attempt = 0;
    if (this.#closed || document.visibilityState === "hidden" || this.#socket !== undefined) return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  #connect(): void {
    this.#listener.link("connecting");
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/stream?families=core,raw,inbox`;
    const socket = new WebSocket(url, ["parley.stream", `parley.key.${this.#key.get()}`]); // the only header that a page can set
    this.#socket = socket;
    this.#early = [];
    socket.onopen = () => {
      this.#attempt = 0;
      this.#alive = true;
      this.#subscribe(socket);
      this.#heartbeat = setInterval(() => this.#beat(socket), heartbeatMs);
    };
    socket.onmessage = (message) => this.#receive(message.data);
    socket.onclose = () => this.#lost(socket);
  }

  #subscribe(socket: WebSocket): void {
    const from = this.#bootId === "" ? {} : { since: this.#seq, bootId: this.#bootId };
    socket.send(JSON.stringify({ type: "subscribe", threadIds: this.#watched, families: ["core", "raw", "inbox"], ...from }));
  }

  #beat(socket: WebSocket): void {
    if (!this.#alive) return socket.close();
    this.#alive = false;
    if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}');
  }

  #receive(data: unknown): void {
    this.#alive = true;
    if (typeof data !== "string") return;
    let message: StreamControl | StreamEvent;
    try {
      message = JSON.parse(data) as StreamControl | StreamEvent;
    } catch {
      return;
    }
    if ("payload" in message) return this.#event(message);
    if (message.type === "subscribed") {
      this.#bootId = message.bootId;
      if (message.replayed === 0) this.#seq = Math.max(this.#seq, message.seq);
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const event of early.sort((a, b) => a.seq - b.seq)) this.#event(event);
      this.#listener.link("online");
    } else if (message.type === "resync") {
      this.#bootId = message.bootId;
      this.#seq = message.seq;
      this.#listener.resync();
    }
  }

  #event(event: StreamEvent): void {
    if (this.#early !== undefined) return void this.#early.push(event);
    // A changed subscription sends older events of the new session; the fold drops those that a session already contains.
    this.#seq = Math.max(this.#seq, event.seq);
    this.#listener.event(event);
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    clearInterval(this.#heartbeat);
    if (this.#closed) return;
    this.#listener.link("offline");
    const wait = backoff[Math.min(this.#attempt++, backoff.length - 1)] ?? 15_000;
    this.#timer = setTimeout(() => void this.#checkThenConnect(), wait * (0.75 + Math.random() / 2));
  }

  /** A refused websocket has no reason; a request for our identity distinguishes a broken connection from being signed out. */
  async #checkThenConnect(): Promise<void> {
    try {
      await this.#http.call("GET /api/auth/me");
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return this.#listener.signedOut(error);
    }
    if (!this.#closed && this.#socket === undefined) this.#connect();
  }
}
