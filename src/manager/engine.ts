/** The manager's line to its engine: one client connection that is kept up, with the engine's own questions taken out of it under their ids. */
import { type Client, ConnectionClosed, openClient, RpcError, Timeout } from "../client/client.ts";
import { sparing } from "../lib/allowance.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ClientRequests } from "../protocol/methods.ts";
import type { Transport } from "../rpc/transport.ts";
import { misfit } from "./engine-messages.ts";

/** Where threads live: in this process or elsewhere. Made by the command line, which knows both kinds. */
export interface Engine {
  /** A fresh connection, as a client's end. Rejects when the engine cannot be reached. */
  connect(signal: AbortSignal): Promise<Transport>;
  /** Serves someone who came in through the door `/rpc`. */
  serve(transport: Transport): Promise<void>;
  readonly remote: boolean;
  /** The folder in which new sessions start when none is named. */
  readonly cwd: string;
  /** Whether no model is set up and the built-in tour answers. */
  offlineTour(): boolean;
  /** Whether the engine has an account file and a key in its environment; unknown for a remote one. */
  credentials(): { readonly file: boolean; readonly key: boolean };
}

export interface ServerRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface LinkHandlers {
  request(request: ServerRequest): void;
  notification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The connection is up, or lost with the reason. */
  state(running: boolean, reason: string | null): void;
  /** Called after each handshake, before anything else; the link counts as up when it is done. */
  ready(client: Client): Promise<void>;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** No engine at the moment; the link keeps trying. */
export class EngineDown extends Error {
  readonly code = "engine_unavailable";
}

const callTimeoutMs = 120_000;
const retryMs = [200, 500, 1000, 2000, 5000, 10_000];

export class EngineLink {
  readonly #engine: Engine;
  readonly #handlers: LinkHandlers;
  readonly #version: string;
  readonly #stop = new AbortController();
  readonly #warn: LinkHandlers["warn"];
  #client: Client | undefined;
  #wire: Transport | undefined;
  #attempt = 0;

  constructor(engine: Engine, version: string, handlers: LinkHandlers) {
    this.#engine = engine;
    this.#version = version;
    this.#handlers = handlers;
    this.#warn = sparing(handlers.warn);
  }

  get running(): boolean {
    return this.#client !== undefined;
  }
  get userAgent(): string {
    return this.#client?.server.userAgent ?? "";
  }
  get codexHome(): string | null {
    return this.#client?.server.codexHome ?? null;
  }

  /** Connects. Rejects when the first attempt fails; later breaks are mended in the background. */
  async start(): Promise<void> {
    await this.#connect();
  }

  close(): void {
    this.#stop.abort();
    this.#client?.close();
  }

  async call<M extends keyof ClientRequests>(method: M, params: ParamsOf<ClientRequests[M]>): Promise<ResultOf<ClientRequests[M]>> {
    if (this.#client === undefined) throw new EngineDown("the engine is not running; it is being started again");
    return this.#client.call(method, params, { timeoutMs: callTimeoutMs });
  }

  /** Answers one of the engine's questions. Throws EngineDown when the line is cut. */
  respond(id: string | number, outcome: { readonly result: unknown } | { readonly error: { code: number; message: string } }): void {
    if (this.#wire === undefined || this.#client === undefined) throw new EngineDown("the engine is not running");
    this.#wire.send(JSON.stringify({ id, ...outcome }));
  }

  async #connect(): Promise<void> {
    const wire = await this.#engine.connect(this.#stop.signal);
    const client = await openClient(new Tap(wire, (request) => this.#ask(request, wire)), {
      clientInfo: { name: "parley_manager", title: "Parley manager", version: this.#version },
      onTrouble: (error) => this.#handlers.warn("engine connection", { error: error.message }),
    });
    client.onAny((method, params) => {
      if (!this.#refuse("notification", method, params)) this.#handlers.notification(method, isRecord(params) ? params : {});
    });
    client.ended.addEventListener("abort", () => this.#lost(client), { once: true });
    if (client.ended.aborted) throw client.ended.reason;
    this.#client = client;
    this.#wire = wire;
    await this.#handlers.ready(client);
    this.#attempt = 0;
    this.#handlers.state(true, null);
  }

  /** Nothing may be thrown into the wire, and no question is left without an answer. */
  #ask(request: ServerRequest, wire: Transport): void {
    const refuse = (message: string): void => wire.send(JSON.stringify({ id: request.id, error: { code: -32_602, message } }));
    try {
      if (this.#refuse("request", request.method, request.params)) return refuse("the question does not fit the protocol");
      this.#handlers.request(request);
    } catch (error) {
      this.#warn("a question of the engine could not be taken", { error: error instanceof Error ? error.stack : String(error) });
      refuse("the question could not be taken");
    }
  }

  /** Our own engine is held to the protocol by its tests; one behind `--connect` may be anything. */
  #refuse(kind: "notification" | "request", method: string, params: unknown): boolean {
    const why = this.#engine.remote ? misfit(kind, method, params) : undefined;
    if (why !== undefined) this.#warn("the engine sent what does not fit the protocol", { kind, method: method.slice(0, 200), why });
    return why !== undefined;
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#wire = undefined;
    if (this.#stop.signal.aborted) return;
    const reason = client.ended.reason instanceof Error ? client.ended.reason.message : "the connection was closed";
    this.#handlers.state(false, reason);
    this.#retry();
  }

  #retry(): void {
    const wait = retryMs[Math.min(this.#attempt++, retryMs.length - 1)] ?? 10_000;
    const timer = setTimeout(() => {
      this.#connect().catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        this.#handlers.warn("engine not reached", { error: error instanceof Error ? error.message : String(error) });
        this.#retry();
      });
    }, wait);
    this.#stop.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }
}

/** A transport that keeps the other side's questions for itself and lets everything else through. */
class Tap implements Transport {
  readonly kind: Transport["kind"];
  onMessage: (text: string) => void = () => {};
  onTooLong: (head: string) => void = () => {};
  onClose: (error?: Error) => void = () => {};
  onDrain: () => void = () => {};
  readonly #inner: Transport;

  constructor(inner: Transport, take: (request: ServerRequest) => void) {
    this.#inner = inner;
    this.kind = inner.kind;
    inner.onMessage = (text) => {
      const request = requestIn(text);
      if (request === undefined) this.onMessage(text);
      else take(request);
    };
    inner.onTooLong = (head) => this.onTooLong(head);
    inner.onClose = (error) => this.onClose(error);
    inner.onDrain = () => this.onDrain();
  }
  get backlog(): number {
    return this.#inner.backlog;
  }
  send(json: string): void {
    this.#inner.send(json);
  }
  pause(): void {
    this.#inner.pause();
  }
  resume(): void {
    this.#inner.resume();
  }
  close(): void {
    this.#inner.close();
  }
  cutOff(why: string): void {
    this.#inner.cutOff(why);
  }
}

function requestIn(text: string): ServerRequest | undefined {
  if (!text.includes('"method"') || !text.includes('"id"')) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(message) || typeof message["method"] !== "string") return undefined;
  const { id, method, params } = message;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return { id, method, params: isRecord(params) ? params : {} };
}

export { ConnectionClosed, RpcError, Timeout };
