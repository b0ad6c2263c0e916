/** A typed client for any app-server, over any transport: `call` sends requests, `on` listens to notifications, `answer` handles the server's requests. */

import { errorMessage } from "../lib/error-text.ts";
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import { invalidRequest, methodNotFound, RpcError } from "../protocol/errors.ts";
import type { InitializeParams, InitializeResponse } from "../protocol/initialize.ts";
import type { ClientRequests, ServerNotifications, ServerRequests } from "../protocol/methods.ts";
import type { ThreadResumeParams, ThreadStartParams } from "../protocol/thread.ts";
import { ConnectionClosed, Peer } from "../rpc/peer.ts";
import type { Transport } from "../rpc/transport.ts";
import type { ConnectOptions } from "../rpc/websocket.ts";
import type { SpawnOptions } from "./spawn.ts";
import { Thread } from "./thread.ts";

export { RpcError } from "../protocol/errors.ts";
export type { Transport } from "../rpc/transport.ts";
export type { Run, RunOptions, Thread } from "./thread.ts";
export { TurnFailed } from "./thread.ts";
export type { ConnectOptions, SpawnOptions };
export { ConnectionClosed };

/** The request was answered by someone else or became void; `by` names who answered, if the server reports it. Used as the abort reason of an answer's signal. */
export class AnsweredElsewhere extends Error {
  readonly code = "answered_elsewhere";
  readonly by: string | undefined;
  constructor(by: string | undefined) {
    super(by === undefined ? "the question is void" : `answered by ${by}`);
    this.by = by;
  }
}

/** No response arrived within the caller's timeout. The request may still be carried out. */
export class Timeout extends Error {
  readonly code = "timeout";
}

export interface ClientOptions {
  readonly clientInfo?: InitializeParams["clientInfo"];
  /** Default: the current protocol with experimental methods. */
  readonly capabilities?: InitializeParams["capabilities"];
  /** Timeout of `initialize` in milliseconds. */
  readonly initializeTimeoutMs?: number;
  /** Receives every request of the server, to be answered by id with `respond`: for clients that keep requests longer than a call lasts. */
  readonly onRequest?: (request: ServerRequest) => void;
  /** Called when a listener throws or a message cannot be read. Default: a process warning. */
  readonly onTrouble?: (error: Error) => void;
}

/** A request of the server, as received: not validated. */
export interface ServerRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Rejects with Timeout after this many milliseconds. Default: waits until the connection ends. */
  readonly timeoutMs?: number | undefined;
}

/** Starts `parley app-server` as a child of this process; it exits with the client. */
export async function spawnClient(options: ClientOptions & SpawnOptions = {}): Promise<Client> {
  const { spawnTransport } = await import("./spawn.ts");
  return openClient(spawnTransport(options), options);
}

/** Connects to a running server: `ws://…`, `wss://…` or `unix://PATH`. */
export async function connectClient(url: string, options: ClientOptions & ConnectOptions = {}): Promise<Client> {
  const { connectTransport } = await import("./connect.ts");
  return openClient(await connectTransport(url, options), options);
}

/** Performs the handshake over an open transport, such as one end of a memory pair. */
export async function openClient(transport: Transport, options: ClientOptions = {}): Promise<Client> {
  const client = new Client(transport, options.onTrouble ?? ((error) => process.emitWarning(error)), options.onRequest);
  try {
    await client.initialize(options);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

type NotificationParams<M extends keyof ServerNotifications> = ParamsOf<ServerNotifications[M]>;
type Answer<M extends keyof ServerRequests> = ResultOf<ServerRequests[M]>;

export class Client {
  readonly #peer: Peer;
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  readonly #any = new Set<(method: string, params: unknown) => void>();
  readonly #answers = new Map<string, (params: never, signal: AbortSignal) => unknown>();
  /** The server's requests that are being answered, by id. */
  readonly #asked = new Map<unknown, AbortController>();
  readonly #onTrouble: (error: Error) => void;
  readonly #ended = new AbortController();
  #server: InitializeResponse | undefined;

  constructor(transport: Transport, onTrouble: (error: Error) => void, onRequest?: (request: ServerRequest) => void) {
    this.#onTrouble = onTrouble;
    this.#peer = new Peer(transport, {
      ...(onRequest === undefined ? {} : { takeRequest: (id, method, params) => this.#take(onRequest, { id, method, params }) }),
      request: (method, params, _after, id) => this.#serve(method, params, id),
      notification: (method, params) => this.#receive(method, params),
      closed: (error) => this.#ended.abort(closedBecause(error)),
      unreadable: (reason) => onTrouble(new Error(`unreadable message from the server: ${reason}`)),
      bug: (method, error) => onTrouble(asError(error, `answer to ${method}`)),
    });
  }

  /** The server's response to `initialize`. */
  get server(): InitializeResponse {
    if (this.#server === undefined) throw new Error("the handshake is not done");
    return this.#server;
  }
  /** Aborted when the connection ends, with ConnectionClosed as the reason. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Rejects with RpcError (the server refused), ConnectionClosed, Timeout or the signal's reason. */
  async call<M extends keyof ClientRequests>(
    method: M,
    params: ParamsOf<ClientRequests[M]>,
    options: CallOptions = {},
  ): Promise<ResultOf<ClientRequests[M]>> {
    const timeout = options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs);
    const signals = [options.signal, timeout].filter((signal) => signal !== undefined);
    try {
      // The server's responses are not validated: rejecting a value that a newer server added would break every older client.
      const signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
      return (await this.#peer.call(method, params, signal)) as ResultOf<ClientRequests[M]>;
    } catch (error) {
      if (error instanceof ConnectionClosed && this.#ended.signal.aborted) throw this.#ended.signal.reason;
      if (timeout?.aborted === true && error === timeout.reason) throw new Timeout(`${method}: no answer in ${options.timeoutMs} ms`);
      throw error;
    }
  }

  /** Listens to a notification, in the order of the wire. Returns the function that stops listening. */
  on<M extends keyof ServerNotifications>(method: M, listener: (params: NotificationParams<M>) => void): () => void {
    const set = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, set.add(listener));
    return () => set.delete(listener);
  }
  /** Listens to every notification, including unknown ones. */
  onAny(listener: (method: string, params: unknown) => void): () => void {
    this.#any.add(listener);
    return () => this.#any.delete(listener);
  }
  /**
   * Sets the handler for one kind of request; a later handler replaces an earlier one. Without a handler the server gets an error and
   * continues as after a refusal. The signal is aborted when the request needs no answer any more: with AnsweredElsewhere or
   * ConnectionClosed.
   */
  answer<M extends keyof ServerRequests>(
    method: M,
    answer: (params: ParamsOf<ServerRequests[M]>, signal: AbortSignal) => Answer<M> | Promise<Answer<M>>,
  ): void {
    this.#answers.set(method, answer);
  }

  /** Answers a request that `onRequest` received. */
  respond(id: string | number, outcome: { readonly result: unknown } | { readonly error: RpcError }): void {
    if (this.#ended.signal.aborted) throw this.#ended.signal.reason;
    this.#peer.respond(id, outcome);
  }

  async startThread(params: ThreadStartParams = {}, options?: CallOptions): Promise<Thread> {
    return new Thread(this, (await this.call("thread/start", params, options)).thread);
  }
  async resumeThread(threadId: string, params: Omit<ThreadResumeParams, "threadId"> = {}, options?: CallOptions): Promise<Thread> {
    return new Thread(this, (await this.call("thread/resume", { ...params, threadId }, options)).thread);
  }

  async initialize(options: ClientOptions): Promise<void> {
    const clientInfo = options.clientInfo ?? { name: "parley_client", title: "Parley client", version: "0" };
    const capabilities = options.capabilities ?? { experimentalApi: true, optOutNotificationMethods: [] };
    const timeoutMs = options.initializeTimeoutMs ?? 30_000;
    this.#server = await this.call("initialize", { clientInfo, capabilities }, { timeoutMs });
    this.#peer.notify("initialized", undefined);
  }
  close(): void {
    this.#peer.close();
  }
  [Symbol.dispose](): void {
    this.close();
  }

  /** A request whose handler throws is still answered, with an error. */
  #take(onRequest: (request: ServerRequest) => void, request: ServerRequest): true {
    try {
      onRequest(request);
    } catch (error) {
      this.#onTrouble(asError(error, `taking ${request.method}`));
      this.#peer.respond(request.id, { error: invalidRequest("the request could not be handled") });
    }
    return true;
  }
  async #serve(method: string, params: unknown, id: unknown): Promise<unknown> {
    const answer = this.#answers.get(method);
    if (answer === undefined) throw new RpcError(methodNotFound, `this client does not answer ${method}`);
    const asked = new AbortController();
    this.#asked.set(id, asked);
    try {
      return await answer(params as never, AbortSignal.any([asked.signal, this.#ended.signal]));
    } catch (error) {
      if (asked.signal.aborted) throw invalidRequest(asked.signal.reason.message);
      throw error;
    } finally {
      if (this.#asked.get(id) === asked) this.#asked.delete(id);
    }
  }
  #receive(method: string, params: unknown): void {
    if (method === "serverRequest/resolved") this.#withdraw(params as NotificationParams<"serverRequest/resolved">);
    for (const listener of this.#any) this.#callListener(method, () => listener(method, params));
    for (const listener of this.#listeners.get(method) ?? []) this.#callListener(method, () => listener(params as never));
  }
  #withdraw({ requestId, answeredBy }: NotificationParams<"serverRequest/resolved">): void {
    this.#asked.get(requestId)?.abort(new AnsweredElsewhere(answeredBy ?? undefined));
  }
  #callListener(method: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onTrouble(asError(error, `listener of ${method}`));
    }
  }
}

const closedBecause = (error: Error | undefined): ConnectionClosed =>
  error === undefined ? new ConnectionClosed() : Object.assign(new ConnectionClosed(error.message), { cause: error });

const asError = (error: unknown, where: string): Error => new Error(`${where}: ${errorMessage(error)}`, { cause: error });
