/** One client's connection to the process that runs its threads: requests and answers go through unchanged, in both directions. */
import { errorMessage } from "../../lib/error-text.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { invalidRequest, overloaded, RpcError } from "../../protocol/errors.ts";
import type { Turn } from "../../protocol/turn.ts";
import type { Outcome } from "../../rpc/peer.ts";
import { type Transport, tooFarBehind } from "../../rpc/transport.ts";
import type { Session } from "../app.ts";

/** A client's request; ids that no JavaScript number holds are not passed on. */
export interface Passed {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
}

/** What a client followed through a link when it ended. */
export interface Followed {
  readonly threadId: string;
  /** The turn that ran. */
  readonly running: Turn | undefined;
}

export interface LinkEvents {
  /** The id for a question of the other process to our client. */
  nextRequestId(): number;
  /** The other process cannot be reached, or does not understand us: it has carried out nothing. */
  unreachable(requests: readonly Passed[], why: string): void;
  /** The other process has gone. */
  gone(followed: readonly Followed[], again: readonly Passed[]): void;
  /** Nothing is left to pass on. */
  unused(): void;
}

const maxInFlight = 4096;
/** A process that is stopped or stuck accepts connections all the same; its greeting is answered at once by any other. */
const welcomeMs = 10_000;
/** Above this backlog of the client nothing more is read from the other process, which then waits or drops us. */
const highWater = 4 * 1024 * 1024;
/** Requests that change nothing: they are simply asked again elsewhere. */
const harmless: ReadonlySet<string> = new Set(["thread/resume", "thread/read", "thread/turns/list", "thread/items/list"]);

export class Link {
  readonly #session: Session;
  readonly #events: LinkEvents;
  #transport: Transport | undefined;
  #isClosed = false;
  #isPaused = false;
  /** The other process has sent something: it understands what we send. */
  #isHeard = false;
  #silence: NodeJS.Timeout | undefined;
  /** Sent once the connection stands. */
  #waiting: Passed[] = [];
  readonly #inFlight = new Map<string | number, Passed & { readonly settle?: ((outcome: Outcome) => void) | undefined }>();
  /** Questions of the other process to our client: our id and its id. */
  readonly #questions = new Map<number, { readonly theirs: string | number; readonly threadId: string }>();
  readonly #threads = new Map<string, { running: Turn | undefined }>();

  constructor(session: Session, connecting: Promise<Transport>, events: LinkEvents) {
    this.#session = session;
    this.#events = events;
    connecting.then(
      (transport) => this.#connected(transport),
      (error: unknown) => this.#unreachable(errorMessage(error)),
    );
  }

  follows(threadId: string): boolean {
    return !this.#isClosed && this.#threads.has(threadId);
  }
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Sends a client's request; the client gets the answer itself unless `settle` is given. */
  pass(request: Passed, settle?: (outcome: Outcome) => void): void {
    if (this.#inFlight.size >= maxInFlight) return this.#answer(request, settle, { error: overloaded() });
    const threadId = threadIdIn(request.params);
    if (request.method === "thread/resume" && threadId !== undefined && !this.#threads.has(threadId))
      this.#threads.set(threadId, { running: undefined });
    this.#inFlight.set(request.id, { ...request, settle });
    if (this.#transport === undefined) this.#waiting.push(request);
    else this.#transport.send(JSON.stringify(request));
  }

  /** Our client's answer to a question of the other process. False if the question is not one of this link's. */
  answered(id: string | number, outcome: Outcome): boolean {
    const question = typeof id === "number" ? this.#questions.get(id) : undefined;
    if (question === undefined) return false;
    const { theirs } = question;
    const error = "error" in outcome ? { code: outcome.error.code, message: outcome.error.message } : undefined;
    this.#transport?.send(JSON.stringify("error" in outcome ? { id: theirs, error } : { id: theirs, result: outcome.result }));
    return true;
  }

  drained(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#transport?.resume();
  }

  /** Ends the link from our side; nobody is told. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#silence);
    this.#transport?.close();
  }

  #connected(transport: Transport): void {
    if (this.#isClosed) return transport.close();
    this.#transport = transport;
    transport.onMessage = (text) => this.#receive(text);
    transport.onClose = (error) => this.#ended(error);
    this.#silence = setTimeout(() => this.#unreachable("it does not answer"), welcomeMs).unref();
    for (const { id, method, params } of this.#waiting) transport.send(JSON.stringify({ id, method, params }));
    this.#waiting = [];
  }

  #receive(text: string): void {
    const message = parseJson(text);
    if (!isRecord(message) || this.#isClosed) return;
    this.#isHeard = true;
    clearTimeout(this.#silence);
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (typeof id === "string" || typeof id === "number") this.#ask(id, method, params);
      else this.#notify(text, method, objectOf(params));
    } else if (typeof id === "string" || typeof id === "number") this.#settle(id, message, text);
    if (this.#isPaused || this.#session.peer.backlog <= highWater) return;
    this.#isPaused = true;
    this.#transport?.pause();
  }

  #ask(theirs: string | number, method: string, params: unknown): void {
    const id = this.#events.nextRequestId();
    this.#questions.set(id, { theirs, threadId: threadIdIn(params) ?? "" });
    this.#session.peer.send(JSON.stringify({ method, id, params }));
  }

  /** What concerns no thread, the client hears from its own server. */
  #notify(text: string, method: string, params: Json): void {
    const threadId = threadIdIn(params) ?? threadIdIn({ threadId: objectOf(params["thread"])["id"] });
    if (threadId === undefined) return;
    const thread = this.#threads.get(threadId);
    if (thread !== undefined && method === "turn/started") thread.running = params["turn"] as Turn;
    if (thread !== undefined && method === "turn/completed") thread.running = undefined;
    if (method !== "serverRequest/resolved") return this.#session.peer.send(text);
    for (const [ours, { theirs }] of this.#questions) {
      if (theirs !== params["requestId"]) continue;
      this.#questions.delete(ours);
      this.#session.peer.send(JSON.stringify({ method, params: { ...params, requestId: ours } }));
    }
  }

  #settle(id: string | number, message: Json, text: string): void {
    const request = this.#inFlight.get(id);
    if (request === undefined) return;
    this.#inFlight.delete(id);
    const threadId = threadIdIn(request.params) ?? "";
    const isRefused = message["error"] !== undefined;
    if (request.method === "thread/resume") this.#resumed(threadId, isRefused, message);
    if (request.method === "thread/unsubscribe" && !isRefused) this.#threads.delete(threadId);
    if (request.settle === undefined) this.#session.peer.send(text);
    else request.settle(isRefused ? { error: errorIn(message["error"]) } : { result: message["result"] });
    if (this.#inFlight.size === 0 && this.#threads.size === 0) this.#events.unused();
  }

  #resumed(threadId: string, isRefused: boolean, message: Json): void {
    if (isRefused) return void this.#threads.delete(threadId);
    const turns = objectOf(objectOf(message["result"])["thread"])["turns"];
    const running = Array.isArray(turns) ? turns.find((turn) => objectOf(turn)["status"] === "inProgress") : undefined;
    const thread = this.#threads.get(threadId);
    if (thread !== undefined && running !== undefined) thread.running = running as Turn;
  }

  #ended(error: Error | undefined): void {
    if (this.#isClosed) return;
    if (!this.#isHeard) return this.#unreachable("it closed the connection");
    this.#isClosed = true;
    if (error?.message === tooFarBehind) return this.#session.peer.cutOff(tooFarBehind);
    for (const [ours, { threadId }] of this.#questions) this.#session.notify("serverRequest/resolved", { threadId, requestId: ours });
    const again: Passed[] = [];
    for (const { settle, ...request } of this.#inFlight.values()) {
      if (settle === undefined && harmless.has(request.method)) again.push(request);
      else this.#answer(request, settle, { error: lost(request.method) });
    }
    const resumedAgain = new Set(again.flatMap(({ method, params }) => (method === "thread/resume" ? [threadIdIn(params)] : [])));
    const followed = [...this.#threads].map(([threadId, { running }]) => ({ threadId, running }));
    this.#events.gone(
      followed.filter(({ threadId, running }) => running !== undefined || !resumedAgain.has(threadId)),
      again,
    );
  }

  #unreachable(why: string): void {
    this.close();
    const ours = [...this.#inFlight.values()].filter(({ settle }) => settle !== undefined);
    for (const { settle, ...request } of ours) this.#answer(request, settle, { error: lost(request.method) });
    const requests = [...this.#inFlight.values()].filter(({ settle }) => settle === undefined);
    this.#events.unreachable(
      requests.map(({ id, method, params }) => ({ id, method, params })),
      why,
    );
  }

  #answer(request: Passed, settle: ((outcome: Outcome) => void) | undefined, outcome: Outcome): void {
    if (settle === undefined) this.#session.peer.respond(request.id, outcome);
    else settle(outcome);
  }
}

const lost = (method: string): RpcError =>
  invalidRequest(
    `the process that ran this thread ended before it answered ${method}; it may have been carried out: read the thread, then send it again if not`,
  );

type Json = Readonly<Record<string, unknown>>;
const objectOf = (value: unknown): Json => (isRecord(value) ? value : {});

export function threadIdIn(params: unknown): string | undefined {
  const { threadId } = objectOf(params);
  return typeof threadId === "string" ? threadId : undefined;
}

function errorIn(value: unknown): RpcError {
  const { code, message, data } = objectOf(value);
  return new RpcError(typeof code === "number" ? code : -32603, typeof message === "string" ? message : "the request failed", data);
}
