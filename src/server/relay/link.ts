/** One client's connection to the process that runs its threads: requests and answers go through unchanged, in both directions. */
import { errorMessage } from "../../lib/error-text.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { invalidRequest, overloaded, RpcError } from "../../protocol/errors.ts";
import type { Turn } from "../../protocol/turn.ts";
import type { Outcome } from "../../rpc/peer.ts";
import { type Transport, tooFarBehind } from "../../rpc/transport.ts";
import type { Session } from "../app.ts";
import { Silence } from "./silence.ts";

/** A client's request; ids that no JavaScript number holds are not passed on. */
export interface Passed {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
  /** How often a process that it was passed to had let the thread go by then. */
  readonly moves?: number;
}

/** What a client followed through a link when it ended. */
export interface Followed {
  readonly threadId: string;
  /** The turn that ran. */
  readonly running: Turn | undefined;
  /** The items of that turn whose end the client was notified of. */
  readonly completed: ReadonlySet<string>;
}

export interface LinkEvents {
  /** The id for a question of the other process to our client. */
  nextRequestId(): number;
  /** The other process cannot be reached, or does not understand us: it has carried out nothing. */
  unreachable(requests: readonly Passed[], why: string): void;
  /** The other process has gone. */
  gone(followed: readonly Followed[], again: readonly Passed[]): void;
  /** The other process has let the thread go, and a third one has it. */
  moved(request: Passed): void;
  /** The other process does not answer, and may go on at any time. These requests can be answered from what is stored. */
  silent(followed: readonly string[], readable: readonly Passed[]): void;
  /** It answers again. The threads are followed as before; those that it had not opened before it fell silent are `opened` only now. */
  woke(followed: readonly string[], opened: readonly string[]): void;
  /** Nothing is left to pass on. */
  unused(): void;
}

const maxInFlight = 4096;
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
  readonly #silence: Silence;
  /** Sent once the connection stands. */
  #waiting: Passed[] = [];
  readonly #inFlight = new Map<string | number, Passed & { readonly settle?: ((outcome: Outcome) => void) | undefined }>();
  /** Questions of the other process to our client: our id and its id. */
  readonly #questions = new Map<number, { readonly theirs: string | number; readonly threadId: string }>();
  readonly #threads = new Map<string, Following>();
  #pings = 0;

  constructor(session: Session, connecting: Promise<Transport>, events: LinkEvents) {
    this.#session = session;
    this.#events = events;
    this.#silence = new Silence({
      // A client that does not read holds up what comes from the other process; that is not silence.
      isExpected: () => !this.#isHeard || (!this.#isPaused && (this.#inFlight.size > 0 || this.#followed().some(({ running }) => running))),
      ping: () => this.#transport?.send(JSON.stringify({ id: `relay-ping-${this.#pings++}`, method: "relay/ping" })),
      silent: () => this.#fellSilent(),
      woke: () => this.#woke(),
    });
    connecting.then(
      (transport) => this.#connected(transport),
      (error: unknown) => this.#unreachable(errorMessage(error)),
    );
  }

  follows(threadId: string): boolean {
    return !this.#isClosed && this.#threads.has(threadId);
  }
  get isSilent(): boolean {
    return this.#silence.isSilent;
  }
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Sends a client's request; the client gets the answer itself unless `settle` is given. */
  pass(request: Passed, settle?: (outcome: Outcome) => void): void {
    if (this.#inFlight.size >= maxInFlight) return this.#answer(request, settle, { error: overloaded() });
    const threadId = threadIdIn(request.params);
    if (request.method === "thread/resume" && threadId !== undefined && !this.#threads.has(threadId))
      this.#threads.set(threadId, { running: undefined, completed: new Set(), isOpened: false });
    if (this.#silence.isSilent && settle === undefined) {
      if (harmless.has(request.method)) return this.#events.silent([], [request]);
      return this.#answer(request, settle, { error: unanswered(request.method, false) });
    }
    this.#inFlight.set(request.id, { ...request, settle });
    this.#silence.watch();
    if (this.#transport === undefined) this.#waiting.push(request);
    else this.#transport.send(written(request));
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
    this.#silence.end();
    this.#transport?.close();
  }

  #connected(transport: Transport): void {
    if (this.#isClosed) return transport.close();
    this.#transport = transport;
    transport.onMessage = (text) => this.#receive(text);
    transport.onClose = (error) => this.#ended(error);
    this.#silence.watch();
    for (const request of this.#waiting) transport.send(written(request));
    this.#waiting = [];
  }

  #receive(text: string): void {
    const message = parseJson(text);
    if (!isRecord(message) || this.#isClosed) return;
    this.#isHeard = true;
    this.#silence.heard();
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
    if (thread !== undefined) this.#note(thread, method, params);
    if (method !== "serverRequest/resolved") return this.#session.peer.send(text);
    for (const [ours, { theirs }] of this.#questions) {
      if (theirs !== params["requestId"]) continue;
      this.#questions.delete(ours);
      this.#session.peer.send(JSON.stringify({ method, params: { ...params, requestId: ours } }));
    }
  }

  #note(thread: Following, method: string, params: Json): void {
    if (method === "turn/started") {
      thread.running = params["turn"] as Turn;
      thread.completed.clear();
      this.#silence.watch();
    } else if (method === "turn/completed") thread.running = undefined;
    else if (method === "item/completed") thread.completed.add(String(objectOf(params["item"])["id"]));
  }

  #settle(id: string | number, message: Json, text: string): void {
    const request = this.#inFlight.get(id);
    if (request === undefined) return;
    this.#inFlight.delete(id);
    const threadId = threadIdIn(request.params) ?? "";
    const isRefused = message["error"] !== undefined;
    if (request.method === "thread/resume") this.#resumed(threadId, isRefused, message);
    if (isRefused && request.settle === undefined && hasMoved(message["error"])) return this.#events.moved(request);
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
    if (thread === undefined) return;
    thread.isOpened = true;
    if (running === undefined) return;
    thread.running = running as Turn;
    const items = objectOf(running)["items"];
    thread.completed = new Set(Array.isArray(items) ? items.map((item) => String(objectOf(item)["id"])) : []);
  }

  #followed(): Followed[] {
    return [...this.#threads].map(([threadId, { running, completed }]) => ({ threadId, running, completed }));
  }

  #fellSilent(): void {
    const waiting = [...this.#inFlight.values()];
    this.#inFlight.clear();
    const isReadable = ({ method, settle }: (typeof waiting)[number]): boolean => settle === undefined && harmless.has(method);
    for (const { settle, ...request } of waiting.filter((one) => !isReadable(one)))
      this.#answer(request, settle, { error: unanswered(request.method, true) });
    const known = [...this.#threads].flatMap(([threadId, { isOpened }]) => (isOpened ? [threadId] : []));
    this.#events.silent(known, waiting.filter(isReadable));
  }

  #woke(): void {
    const ids = [...this.#threads.keys()];
    this.#events.woke(
      ids,
      ids.filter((id) => this.#threads.get(id)?.isOpened !== true),
    );
  }

  #ended(error: Error | undefined): void {
    if (this.#isClosed) return;
    if (!this.#isHeard && !this.#silence.isSilent) return this.#unreachable("it closed the connection");
    this.#isClosed = true;
    this.#silence.end();
    if (error?.message === tooFarBehind) return this.#session.peer.cutOff(tooFarBehind);
    for (const [ours, { threadId }] of this.#questions) this.#session.notify("serverRequest/resolved", { threadId, requestId: ours });
    const again: Passed[] = [];
    for (const { settle, ...request } of this.#inFlight.values()) {
      if (settle === undefined && harmless.has(request.method)) again.push(request);
      else this.#answer(request, settle, { error: lost(request.method) });
    }
    const resumedAgain = new Set(again.flatMap(({ method, params }) => (method === "thread/resume" ? [threadIdIn(params)] : [])));
    this.#events.gone(
      this.#followed().filter(({ threadId, running }) => running !== undefined || !resumedAgain.has(threadId)),
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

/** What is known of a thread that the client follows. */
interface Following {
  running: Turn | undefined;
  completed: Set<string>;
  /** The other process has answered the request for it. */
  isOpened: boolean;
}

const written = ({ id, method, params }: Passed): string => JSON.stringify({ id, method, params });

/** Instead of an answer: another process holds the thread, and can be reached. */
export class RunsElsewhere extends Error {
  readonly threadId: string;
  constructor(threadId: string) {
    super(`thread ${threadId} is open in another process`);
    this.threadId = threadId;
  }
}

/** In the data of an error: another process holds the thread by now. */
export const movedMark = { heldByAnotherProcess: true };
const hasMoved = (error: unknown): boolean => objectOf(objectOf(error)["data"])["heldByAnotherProcess"] === true;

const unanswered = (method: string, isSent: boolean): RpcError =>
  invalidRequest(
    `the process that runs this thread does not answer: it is stopped or stuck. ${method} ${isSent ? "was sent to it and is carried out if it goes on" : "was not sent"}; let it go on or end it, then ${isSent ? "read the thread" : "try again"}`,
  );

const lost = (method: string): RpcError =>
  invalidRequest(
    `the process that ran this thread ended before it answered ${method}; it may have been carried out: read the thread, then send it again if not`,
  );

type Json = Readonly<Record<string, unknown>>;
export const objectOf = (value: unknown): Json => (isRecord(value) ? value : {});

export function threadIdIn(params: unknown): string | undefined {
  const { threadId } = objectOf(params);
  return typeof threadId === "string" ? threadId : undefined;
}

function errorIn(value: unknown): RpcError {
  const { code, message, data } = objectOf(value);
  return new RpcError(typeof code === "number" ? code : -32603, typeof message === "string" ? message : "the request failed", data);
}
