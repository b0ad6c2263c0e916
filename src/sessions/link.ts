/** The link to an engine: one client connection that is re-established when it breaks; the engine's requests are collected by id to be answered later. */
import { type CallOptions, type Client, type ClientOptions, RpcError, type ServerRequest } from "../client/client.ts";
import { sparing } from "../lib/allowance.ts";
import { errorMessage, errorStack } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ClientRequests, ServerNotification } from "../protocol/methods.ts";
import type { Outcome } from "./answers.ts";
import { problemIn } from "./check.ts";

export type LinkState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly userAgent: string }
  | { readonly kind: "lost"; readonly reason: string }
  /** It ended too often in a short time; only a person can restart it. */
  | { readonly kind: "failed"; readonly reason: string };

type Params = Readonly<Record<string, unknown>>;
/** A request of the engine. Its params are objects; those of a remote engine have been validated. */
export interface EngineRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Params;
}

export interface LinkPorts {
  /** Spawns or connects, and performs the handshake with these options. Rejects if the engine cannot be reached. */
  open(options: Pick<ClientOptions, "onRequest">, signal: AbortSignal): Promise<Client>;
  /** Called after every handshake, before the link counts as up: joins the threads that were open. */
  ready(client: Client): Promise<void>;
  /** Also called for unknown methods: a switch over the methods ignores them. */
  notification(message: ServerNotification): void;
  /** Receives a request; it is answered with `respond`. */
  request(request: EngineRequest): void;
  state(state: LinkState): void;
  /** Whether the engine is not ours: then all its messages are validated against the protocol. For our own engine, the tests ensure this. */
  isForeign(): boolean;
  /** Whether to give up on an engine that keeps ending. A remote engine is waited for indefinitely. */
  givesUp(): boolean;
  warn(message: string, fields: Params): void;
  now(): number;
}

/** The engine is not running. The request was not sent. */
export class EngineDown extends Error {
  readonly code = "engine_unavailable";
}

/** The engine's response does not match the protocol. The request may have been carried out. */
export class InvalidResponse extends Error {
  readonly code = "unfit_answer";
}

const retryMs = [200, 500, 1000, 2000, 5000, 10_000];
/** After this many ends within the window, restarting does not help. */
const maxEnds = 5;
const windowMs = 60_000;
const callTimeoutMs = 120_000;

export class EngineLink {
  readonly #ports: LinkPorts;
  readonly #warn: LinkPorts["warn"];
  /** How long a call waits for an engine that is starting; 0 refuses it immediately. */
  readonly #startMs: number;
  #client: Client | undefined;
  #state: LinkState = { kind: "stopped" };
  #ends: number[] = [];
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waitingForStart = new Set<(client: Client | undefined) => void>();
  /** Replaced by every start and stop, so that late events of an older run are ignored. */
  #run = new AbortController();

  constructor(ports: LinkPorts, startMs = 0) {
    this.#ports = ports;
    this.#warn = sparing((message, fields) => ports.warn(message, fields));
    this.#startMs = startMs;
  }

  get state(): LinkState {
    return this.#state;
  }
  /** Whether there is a connection, also while the threads are still being joined. */
  get running(): boolean {
    return this.#client !== undefined;
  }
  get userAgent(): string {
    return this.#client?.server.userAgent ?? "";
  }
  get codexHome(): string | null {
    return this.#client?.server.codexHome ?? null;
  }

  /** Connects, and keeps reconnecting until `stop`. Never rejects: the state shows the outcome. */
  async start(): Promise<void> {
    if (this.#state.kind === "starting" || this.#state.kind === "running") return;
    const run = this.#newRun();
    this.#ends = [];
    this.#attempt = 0;
    await this.#open(run);
  }

  /** Like `start`, but rejects if the first attempt fails; later failures are retried as usual. */
  async startOrFail(): Promise<void> {
    await this.start();
    const state = this.#state;
    if (state.kind === "running") return;
    this.stop();
    throw new EngineDown("reason" in state ? state.reason : "the engine did not start");
  }

  stop(): void {
    this.#newRun();
    const client = this.#client;
    this.#client = undefined;
    client?.close();
    this.#enter({ kind: "stopped" });
  }

  async restart(): Promise<void> {
    this.stop();
    await this.start();
  }

  async call<M extends keyof ClientRequests>(
    method: M,
    params: ParamsOf<ClientRequests[M]>,
    options: CallOptions = {},
  ): Promise<ResultOf<ClientRequests[M]>> {
    const client = this.#client ?? (await this.#started());
    const result = await client.call(method, params, { timeoutMs: callTimeoutMs, ...options });
    if (this.#isRefused("result", method, result)) throw new InvalidResponse(`the engine's answer to ${method} does not fit the protocol`);
    return result;
  }

  /** Answers one of the engine's requests. Throws EngineDown if the connection is lost. */
  respond(id: string | number, outcome: Outcome): void {
    if (this.#client === undefined) throw new EngineDown("the engine is not running");
    this.#client.respond(id, "error" in outcome ? { error: new RpcError(outcome.error.code, outcome.error.message) } : outcome);
  }

  #newRun(): AbortSignal {
    clearTimeout(this.#timer);
    this.#run.abort();
    this.#run = new AbortController();
    return this.#run.signal;
  }

  /** Requests made while the engine starts may wait for it. */
  #started(): Promise<Client> {
    const mayCome = this.#state.kind === "starting" || this.#state.kind === "lost";
    if (!mayCome || this.#startMs === 0) throw new EngineDown("the engine is not running");
    const { promise, resolve, reject } = Promise.withResolvers<Client>();
    const timer = setTimeout(() => settle(undefined), this.#startMs);
    const settle = (client: Client | undefined): void => {
      clearTimeout(timer);
      this.#waitingForStart.delete(settle);
      if (client === undefined) reject(new EngineDown("the engine did not start"));
      else resolve(client);
    };
    this.#waitingForStart.add(settle);
    return promise;
  }

  async #open(run: AbortSignal): Promise<void> {
    this.#enter({ kind: "starting" });
    let client: Client | undefined;
    let isUp = false;
    try {
      const early: ServerRequest[] = [];
      const onRequest = (request: ServerRequest): void => (client === undefined ? void early.push(request) : this.#take(client, request));
      client = await this.#ports.open({ onRequest }, run);
      if (run.aborted) return client.close();
      this.#listen(client, run);
      this.#client = client;
      isUp = true;
      for (const request of early) this.#take(client, request);
      await this.#ports.ready(client);
      if (this.#client !== client) return;
      this.#attempt = 0;
      this.#enter({ kind: "running", userAgent: client.server.userAgent });
    } catch (error) {
      if (run.aborted) return;
      // A client that was lost in the meantime has already been counted by its own end.
      const isCounted = isUp && this.#client !== client;
      this.#client = undefined;
      client?.close();
      if (!isCounted) this.#ended(run, errorMessage(error));
    }
  }

  #listen(client: Client, run: AbortSignal): void {
    client.onAny((method, params) => {
      if (this.#isRefused("notification", method, params)) return;
      this.#ports.notification({ method, params: isRecord(params) ? params : {} } as ServerNotification);
    });
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      const { reason } = client.ended;
      if (!run.aborted) this.#ended(run, reason instanceof Error && reason.message !== "" ? reason.message : "the connection was closed");
    };
    client.ended.addEventListener("abort", lost, { once: true });
    if (client.ended.aborted) throw client.ended.reason;
  }

  /** Every request gets a response. */
  #take(client: Client, { id, method, params }: ServerRequest): void {
    const refuse = (message: string): void => client.respond(id, { error: new RpcError(-32_602, message) });
    if (this.#isRefused("request", method, params)) return refuse("the question does not fit the protocol");
    try {
      this.#ports.request({ id, method, params: isRecord(params) ? params : {} });
    } catch (error) {
      this.#warn("a request of the engine could not be handled", { error: errorStack(error) });
      refuse("the request could not be handled");
    }
  }

  #isRefused(kind: "notification" | "request" | "result", method: string, value: unknown): boolean {
    const why = this.#ports.isForeign() ? problemIn(kind, method, value) : undefined;
    if (why !== undefined) this.#warn("the engine sent what does not fit the protocol", { kind, method: method.slice(0, 200), why });
    return why !== undefined;
  }

  #ended(run: AbortSignal, reason: string): void {
    const now = this.#ports.now();
    this.#ends = [...this.#ends.filter((at) => now - at < windowMs), now];
    if (this.#ends.length >= maxEnds && this.#ports.givesUp()) return this.#enter({ kind: "failed", reason });
    this.#enter({ kind: "lost", reason });
    const wait = retryMs[Math.min(this.#attempt++, retryMs.length - 1)] ?? 10_000;
    this.#timer = setTimeout(() => void this.#open(run), wait);
  }

  #enter(state: LinkState): void {
    this.#state = state;
    try {
      this.#ports.state(state);
    } catch (error) {
      // A failing listener must not stop the link: the next attempt follows after this.
      this.#warn("the state of the engine could not be announced", {
        state: state.kind,
        error: errorStack(error),
      });
    }
    const isOver = state.kind === "failed" || state.kind === "stopped";
    if (state.kind === "running" || isOver) for (const settle of [...this.#waitingForStart]) settle(this.#client);
  }
}
