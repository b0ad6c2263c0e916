/** One client's connection to a process that runs its threads: requests and answers go through unchanged, in both directions. */
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { ParamsOf } from "../protocol/define.ts";
import { overloaded, type RpcError } from "../protocol/errors.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { Outcome } from "../rpc/peer.ts";
import { type Transport, tooFarBehind } from "../rpc/transport.ts";
import { errorIn, hasMoved, type Json, objectOf, type Passed, threadIdIn, threadNotified, threadOpened } from "./messages.ts";
import type { Asker, Questions } from "./questions.ts";
import { Silence } from "./silence.ts";
import { type Held, Told } from "./told.ts";

/** The client on whose behalf a link is open. */
export interface LinkClient {
  /** Characters that it has not read yet. */
  readonly backlog: number;
  readonly questions: Questions;
  send(json: string): void;
  respond(id: string | number, outcome: Outcome): void;
  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  cutOff(why: string): void;
}

/** What a client followed through a link when it ended. */
export type Followed = readonly [threadId: string, told: Told];

/** How a link is used; what one home and a fleet do not have in common. */
export interface LinkEvents {
  /** Whether a request that was not answered may simply be asked again elsewhere. */
  isRepeatable(method: string): boolean;
  /** The answer to any other request that the process took along. */
  lost(method: string): RpcError;
  /** The other process cannot be reached, or does not understand us: it has carried out nothing. */
  unreachable(requests: readonly Passed[], why: unknown): void;
  /** The other process has gone. */
  gone(followed: readonly Followed[], again: readonly Passed[]): void;
  /** The other process has let the thread go, and a third one has it. */
  moved(request: Passed): void;
  /** Nothing is left to pass on. */
  unused(): void;
  /** The other process does not answer, and may go on at any time. Without this nobody watches for that. */
  readonly silence?: SilenceRules;
  /** Whether a notification about a thread that is not followed here is for the client; about none with undefined. */
  hears(threadId: string | undefined): boolean;
  /** A message that the client gets; for whoever has to know. */
  noted?(threadId: string, method: string, params: Json): void;
  /** An answer for the client, which may be changed: undefined sends it as it is. */
  answering?(request: Passed, message: Json): undefined | Promise<Outcome>;
}

export interface SilenceRules {
  /** These requests can be answered from what is stored. */
  silent(followed: readonly string[], readable: readonly Passed[]): void;
  /** It answers again. The threads are followed as before; those that it had not opened before it fell silent are `opened` only now. */
  woke(followed: readonly string[], opened: readonly string[]): void;
  /** The answer to a request that cannot be carried out meanwhile. */
  unanswered(method: string, isSent: boolean): RpcError;
}

type Settle = (outcome: Outcome) => void;
type InFlight = Passed & { readonly settle?: Settle | undefined };

const maxInFlight = 4096;
/** Above this backlog of the client nothing more is read from the other process, which then waits or drops us. */
const highWater = 4 * 1024 * 1024;

export class Link implements Asker {
  readonly #client: LinkClient;
  readonly #events: LinkEvents;
  #transport: Transport | undefined;
  #isClosed = false;
  #isPaused = false;
  /** The other process has sent something: it understands what we send. */
  #isHeard = false;
  readonly #silence: Silence | undefined;
  /** Sent once the connection stands. */
  #waiting: Passed[] = [];
  readonly #inFlight = new Map<string | number, InFlight>();
  readonly #threads = new Map<string, Told>();
  #pings = 0;

  constructor(client: LinkClient, connecting: Promise<Transport>, events: LinkEvents) {
    this.#client = client;
    this.#events = events;
    const rules = events.silence;
    if (rules !== undefined)
      this.#silence = new Silence({
        // A client that does not read holds up what comes from the other process; that is not silence.
        isExpected: () =>
          !this.#isHeard || (!this.#isPaused && (this.#inFlight.size > 0 || [...this.#threads.values()].some(({ running }) => running))),
        ping: () => this.#transport?.send(JSON.stringify({ id: `relay-ping-${this.#pings++}`, method: "relay/ping" })),
        silent: () => this.#fellSilent(rules),
        woke: () => this.#woke(rules),
      });
    connecting.then(
      (transport) => this.#connected(transport),
      (error: unknown) => this.#unreachable(error),
    );
  }

  follows(threadId: string): boolean {
    return !this.#isClosed && this.#threads.has(threadId);
  }
  get followed(): readonly Followed[] {
    return [...this.#threads];
  }
  has(requestId: string | number): boolean {
    return this.#inFlight.has(requestId);
  }
  get isSilent(): boolean {
    return this.#silence?.isSilent === true;
  }
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** From here on the thread is followed through this link. */
  follow(threadId: string, told: Told): void {
    this.#threads.set(threadId, told);
  }
  /** Another link follows the thread. */
  leave(threadId: string): void {
    this.#threads.delete(threadId);
    this.#client.questions.leave(this, threadId);
  }

  /** The past was told: what the other process has sent meanwhile follows. */
  release(threadId: string): void {
    const told = this.#threads.get(threadId);
    for (const message of told?.release() ?? []) {
      told?.passes(message);
      this.#deliver(message, threadId);
    }
  }

  /** Sends a client's request; the client gets the answer itself unless `settle` is given. */
  pass(request: Passed, settle?: Settle): void {
    if (this.#inFlight.size >= maxInFlight) return this.#answer(request, settle, { error: overloaded() });
    const threadId = threadIdIn(request.params);
    if (request.method === "thread/resume" && threadId !== undefined && !this.#threads.has(threadId))
      this.#threads.set(threadId, new Told());
    const { silence } = this.#events;
    if (this.isSilent && settle === undefined && silence !== undefined) {
      if (this.#events.isRepeatable(request.method)) return silence.silent([], [request]);
      return this.#answer(request, settle, { error: silence.unanswered(request.method, false) });
    }
    this.#inFlight.set(request.id, settle === undefined ? request : { ...request, settle });
    this.#silence?.watch();
    if (this.#transport === undefined) this.#waiting.push(request);
    else this.#transport.send(written(request));
  }

  answer(theirs: string | number, outcome: Outcome): void {
    const error = "error" in outcome ? { code: outcome.error.code, message: outcome.error.message } : undefined;
    this.#transport?.send(JSON.stringify("error" in outcome ? { id: theirs, error } : { id: theirs, result: outcome.result }));
  }

  drained(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#transport?.resume();
  }

  /** Ends the link from our side; nobody is told. */
  close(): void {
    this.#isClosed = true;
    this.#silence?.end();
    this.#transport?.close();
  }

  /** Treats the other process as gone, whatever it may still send. */
  abandon(): void {
    if (this.#isClosed) return;
    this.close();
    this.#leaveAll();
  }

  #connected(transport: Transport): void {
    if (this.#isClosed) return transport.close();
    this.#transport = transport;
    transport.onMessage = (text) => this.#receive(text);
    transport.onClose = (error) => this.#ended(error);
    this.#silence?.watch();
    for (const request of this.#waiting) transport.send(written(request));
    this.#waiting = [];
  }

  #receive(text: string): void {
    const message = parseJson(text);
    if (!isRecord(message) || this.#isClosed) return;
    this.#isHeard = true;
    this.#silence?.heard();
    const { id, method, params } = message;
    if (typeof method === "string") {
      const isQuestion = typeof id === "string" || typeof id === "number";
      this.#take({ ...(isQuestion ? { id } : {}), method, params: objectOf(params), text });
    } else if (typeof id === "string" || typeof id === "number") this.#settle(id, message, text);
    if (this.#isPaused || this.#client.backlog <= highWater) return;
    this.#isPaused = true;
    this.#transport?.pause();
  }

  /** A message of the other process, unless it is an answer. */
  #take(message: Held): void {
    const threadId = threadNotified(message.params);
    const told = threadId === undefined ? undefined : this.#threads.get(threadId);
    const isPassed = told === undefined ? message.id !== undefined && threadId === undefined : told.passes(message);
    if (isPassed || (told === undefined && this.#events.hears(threadId))) this.#deliver(message, threadId);
  }

  #deliver({ id, method, params, text }: Held, threadId: string | undefined): void {
    if (id !== undefined) return this.#ask(id, method, params);
    if (method === "serverRequest/resolved") return this.#resolved(method, params);
    this.#client.send(text);
    if (threadId === undefined) return;
    if (method === "turn/started") this.#silence?.watch();
    this.#events.noted?.(threadId, method, params);
  }

  #ask(theirs: string | number, method: string, params: Json): void {
    const { id, instead } = this.#client.questions.put(this, theirs, method, params);
    for (const { ours, threadId: of } of instead) this.#client.notify("serverRequest/resolved", { threadId: of ?? "", requestId: ours });
    if (id !== undefined) this.#client.send(JSON.stringify({ method, id, params }));
  }

  #resolved(method: string, params: Json): void {
    const question = this.#client.questions.resolved(this, params["requestId"]);
    if (question !== undefined) this.#client.send(JSON.stringify({ method, params: { ...params, requestId: question.ours } }));
  }

  #settle(id: string | number, message: Json, text: string): void {
    const request = this.#inFlight.get(id);
    if (request === undefined) return;
    this.#inFlight.delete(id);
    const isRefused = message["error"] !== undefined;
    if (request.settle === undefined && isRefused && hasMoved(message["error"])) {
      this.#forgetUnopened(request);
      return this.#events.moved(request);
    }
    this.#opened(request, isRefused, objectOf(message["result"]));
    if (request.settle !== undefined) request.settle(isRefused ? { error: errorIn(message["error"]) } : { result: message["result"] });
    else this.#respond(request, message, text);
    if (this.#inFlight.size === 0 && this.#threads.size === 0) this.#events.unused();
  }

  #respond(request: Passed, message: Json, text: string): void {
    const changed = this.#events.answering?.(request, message);
    if (changed === undefined) return this.#client.send(text);
    changed.then(
      (outcome) => this.#client.respond(request.id, outcome),
      () => this.#client.send(text),
    );
  }

  /** The answer says whether the client follows a thread from now on. */
  #opened(request: InFlight, isRefused: boolean, result: Json): void {
    const { method, params } = request;
    if (isRefused) return this.#forgetUnopened(request);
    if (method === "thread/unsubscribe") return this.#unsubscribed(threadIdIn(params) ?? "");
    const threadId = threadOpened(method, params, result);
    if (threadId === undefined) return;
    const told = this.#threads.get(threadId) ?? new Told();
    this.#threads.set(threadId, told);
    // One that asks for itself compares the turns with what the client was told.
    if (request.settle === undefined || !told.isOpened)
      told.opened(objectOf(result["thread"])["turns"], method === "thread/start" || method === "newConversation");
  }

  #unsubscribed(threadId: string): void {
    this.leave(threadId);
    this.#client.questions.drop((question) => question.threadId === threadId);
  }

  #forgetUnopened({ method, params }: Passed): void {
    const threadId = method === "thread/resume" ? threadIdIn(params) : undefined;
    if (threadId !== undefined && this.#threads.get(threadId)?.isOpened !== true) this.#threads.delete(threadId);
  }

  #fellSilent(rules: SilenceRules): void {
    const waiting = [...this.#inFlight.values()];
    this.#inFlight.clear();
    const isReadable = ({ method, settle }: InFlight): boolean => settle === undefined && this.#events.isRepeatable(method);
    for (const { settle, ...request } of waiting.filter((one) => !isReadable(one)))
      this.#answer(request, settle, { error: rules.unanswered(request.method, true) });
    const known = [...this.#threads].flatMap(([threadId, { isOpened }]) => (isOpened ? [threadId] : []));
    rules.silent(known, waiting.filter(isReadable));
  }

  #woke(rules: SilenceRules): void {
    const ids = [...this.#threads.keys()];
    rules.woke(
      ids,
      ids.filter((id) => this.#threads.get(id)?.isOpened !== true),
    );
  }

  #ended(error: Error | undefined): void {
    if (this.#isClosed) return;
    if (!this.#isHeard && !this.isSilent) return this.#unreachable(error ?? new Error("it closed the connection"));
    this.#isClosed = true;
    this.#silence?.end();
    if (error?.message === tooFarBehind) return this.#client.cutOff(tooFarBehind);
    this.#leaveAll();
  }

  #leaveAll(): void {
    this.#client.questions.leave(this);
    const again: Passed[] = [];
    for (const { settle, ...request } of this.#inFlight.values()) {
      if (settle === undefined && this.#events.isRepeatable(request.method)) again.push(request);
      else this.#answer(request, settle, { error: this.#events.lost(request.method) });
    }
    this.#inFlight.clear();
    const resumedAgain = new Set(again.flatMap(({ method, params }) => (method === "thread/resume" ? [threadIdIn(params)] : [])));
    this.#events.gone(
      [...this.#threads].filter(([threadId, { isOpened }]) => isOpened || !resumedAgain.has(threadId)),
      again,
    );
  }

  #unreachable(why: unknown): void {
    this.close();
    const all = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { settle, ...request } of all)
      if (settle !== undefined) this.#answer(request, settle, { error: this.#events.lost(request.method) });
    this.#events.unreachable(
      all.filter(({ settle }) => settle === undefined),
      why,
    );
  }

  #answer(request: Passed, settle: Settle | undefined, outcome: Outcome): void {
    if (settle === undefined) this.#client.respond(request.id, outcome);
    else settle(outcome);
  }
}

const written = ({ id, method, params, text }: Passed): string => text ?? JSON.stringify({ id, method, params });
