/** Which connection is subscribed to which thread, which requests are pending, and which readers are behind. Implements the core's Audience. */

import type { Answer, Asking, Audience, TextPlace } from "../core/ports/audience.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { ParamsOf } from "../protocol/define.ts";
import { invalidRequest, methodNotFound } from "../protocol/errors.ts";
import type { ServerNotifications, ServerRequests } from "../protocol/methods.ts";
import type { Outcome } from "../rpc/peer.ts";
import { MessageSeries, tooFarBehind } from "../rpc/transport.ts";
import { isOlder, type Session } from "./app.ts";
import { forOlder, requestFor } from "./dialect.ts";
import { Readers } from "./readers.ts";
import type { WireCheck } from "./wire-check.ts";

interface Pending {
  readonly id: number;
  readonly threadId: string;
  readonly method: keyof ServerRequests;
  readonly params: unknown;
  readonly settle: (answer: Answer) => void;
  /** Sessions that do not know this kind of request, with their words: the others decide, and without others it is refused. */
  readonly unable: Map<Session, string>;
  /** The session that answered first. */
  by?: Session;
}

/** Maximum number of threads per connection. */
const maxWatched = 1100;
/** Maximum number of pending requests per thread, and of the v1 API per connection. */
const maxWaiting = 64;

const textMethod = "item/agentMessage/delta";

/** Node treats a longer timeout as none at all. */
const longestTimer = 2 ** 31 - 1;

export interface SubscriptionOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Seconds until a request of this kind counts as declined; undefined waits forever. */
  readonly timeoutFor: (method: string) => number | undefined;
  /** Set in tests. */
  readonly wireCheck: WireCheck | undefined;
}

export class Subscriptions implements Audience {
  readonly #options: SubscriptionOptions;
  readonly #sessions = new Set<Session>();
  readonly #byThread = new Map<string, Set<Session>>();
  /** Threads whose raw model items a session receives. */
  readonly #raw = new WeakMap<Session, Set<string>>();
  readonly #parents = new Map<string, string>();
  readonly #pending = new Map<number, Pending>();
  readonly #private = new Map<number, { readonly session: Session; readonly settle: (outcome: Outcome) => void }>();
  readonly #readers: Readers;
  #sessionIds = 0;
  #requestIds = 0;
  /** Called when the status of a thread may have changed, or which process holds it. */
  readonly statusWatchers = new Set<(threadId: string) => void>();
  /** Called when the last subscriber of a thread has gone. */
  onUnwatched: (threadId: string) => void = () => {};

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#readers = new Readers((session) => this.#cutOff(session));
  }

  nextSessionId(): number {
    return this.#sessionIds++;
  }
  /** For requests to clients that are sent by others: their ids never clash with those sent here. */
  nextRequestId(): number {
    return this.#requestIds++;
  }
  get sessions(): ReadonlySet<Session> {
    return this.#sessions;
  }
  join(session: Session): void {
    this.#sessions.add(session);
  }
  leave(session: Session): void {
    this.#sessions.delete(session);
    for (const threadId of [...this.#byThread.keys()]) this.unsubscribe(session, threadId);
    if (session.transport === "stdio") this.#refuseIfNoClientIsLeft();
    this.#readers.left(session);
  }

  /** Call before a session joins another thread. Throws if it has reached the maximum. */
  checkSubscriptionLimit(session: Session, threadId?: string): void {
    if (threadId !== undefined && this.#byThread.get(threadId)?.has(session) === true) return;
    let watched = 0;
    for (const audience of this.#byThread.values()) if (audience.has(session)) watched++;
    if (watched >= maxWatched)
      throw invalidRequest(`this connection watches ${maxWatched} threads, the most that it may; let some go with thread/unsubscribe`);
  }
  /** Returns false if it was already subscribed. Pending requests of the thread are sent to the new subscriber under their own ids. */
  subscribe(session: Session, threadId: string, raw: boolean = session.receivesRaw): boolean {
    if (raw) this.#raw.set(session, (this.#raw.get(session) ?? new Set()).add(threadId));
    const audience = this.#byThread.get(threadId) ?? new Set();
    this.#byThread.set(threadId, audience);
    if (audience.has(session)) return false;
    audience.add(session);
    this.#statusMayDiffer(threadId);
    this.#readers.wake(); // a stream may be waiting for a reader that keeps up
    return true;
  }
  /** Sends a thread's pending requests to one session again: after the response to `thread/resume`. */
  replay(session: Session, threadId: string): void {
    for (const pending of this.#pending.values()) if (pending.threadId === threadId) this.#put(session, pending);
  }
  unsubscribe(session: Session, threadId: string): boolean {
    const audience = this.#byThread.get(threadId);
    if (audience === undefined || !audience.delete(session)) return false;
    this.#raw.get(session)?.delete(threadId);
    for (const pending of this.#pending.values()) this.#refuseIfNobodyKnows(pending);
    if (audience.size === 0) {
      this.#byThread.delete(threadId);
      this.onUnwatched(threadId);
      this.#statusMayDiffer(threadId);
    }
    return true;
  }
  /** All subscribers of a thread: its own, and those of the thread that started it. */
  subscribers(threadId: string): ReadonlySet<Session> {
    const own = this.#byThread.get(threadId) ?? new Set();
    const parent = this.#parents.get(threadId);
    return parent === undefined ? own : new Set([...own, ...this.subscribers(parent)]);
  }
  /** From here on the parent's subscribers receive the child's notifications and answer its requests. */
  adopt(childId: string, parentId: string): void {
    this.#parents.set(childId, parentId);
  }
  /** The thread was unloaded; resuming it adopts it again. */
  unloaded(threadId: string): void {
    this.#parents.delete(threadId);
    this.#statusMayDiffer(threadId);
  }
  #statusMayDiffer(threadId: string): void {
    for (const changed of this.statusWatchers) changed(threadId);
  }
  pendingOn(threadId: string): readonly number[] {
    return [...this.#pending.values()].filter((p) => p.threadId === threadId).map((p) => p.id);
  }

  toThread<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    const audience = this.subscribers(threadId);
    const older = forOlder(method, params);
    if (older !== undefined) {
      this.#send([...audience].filter(isOlder), method, older);
      return this.#send(
        [...audience].filter((session) => !isOlder(session)),
        method,
        params,
      );
    }
    if (method !== "rawResponseItem/completed" && method !== "rawResponse/completed") return this.#send(audience, method, params);
    this.#send(
      [...audience].filter((session) => this.#raw.get(session)?.has(threadId) === true),
      method,
      params,
    );
  }
  textToThread(at: TextPlace, deltas: readonly string[]): void {
    const [first] = deltas;
    if (deltas.length === 1 && first !== undefined) return this.toThread(at.threadId, textMethod, { ...at, delta: first });
    let series: MessageSeries | undefined;
    for (const session of this.subscribers(at.threadId)) {
      if (session.optOut.has(textMethod)) continue;
      series ??= this.#writeTexts(at, deltas);
      session.peer.sendSeries(series);
    }
  }
  toOlder<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.#send([...this.subscribers(threadId)].filter(isOlder), method, params);
  }
  toAll<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.#send(
      [...this.#sessions].filter((s) => s.initialized),
      method,
      params,
    );
    if (method === "thread/status/changed" && "threadId" in params) this.#statusMayDiffer(params.threadId ?? "");
  }
  /** For notifications that older clients do not know. */
  toCurrent<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.#send(
      [...this.#sessions].filter((s) => s.initialized && !isOlder(s)),
      method,
      params,
    );
  }
  toSession<M extends keyof ServerNotifications>(session: Session, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.#send([session], method, params);
  }

  async ask<M extends keyof ServerRequests>(
    threadId: string,
    method: M,
    params: ParamsOf<ServerRequests[M]>,
    { signal, keep }: Asking,
  ): Promise<Answer> {
    signal.throwIfAborted();
    if (this.pendingOn(threadId).length >= maxWaiting)
      return { kind: "refused", message: `${maxWaiting} questions of this thread wait for an answer already`, by: "the server" };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const pending: Pending = { id: this.#requestIds++, threadId, method, params, settle: resolve, unable: new Map() };
    this.#pending.set(pending.id, pending);
    const seconds = this.#options.timeoutFor(method);
    const timer =
      seconds === undefined ? undefined : setTimeout(() => resolve({ kind: "timedOut" }), Math.min(seconds * 1000, longestTimer));
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    for (const session of this.subscribers(threadId)) this.#put(session, pending);
    this.#refuseIfNoClientIsLeft();
    try {
      const answer = await promise;
      await keep?.(answer);
      return answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      this.#pending.delete(pending.id);
      this.#announceEnd(pending);
    }
  }

  /** The client that answered knows; the others are notified who it was. */
  #announceEnd({ id, threadId, by }: Pending): void {
    const params = { threadId, requestId: id };
    const audience = [...this.subscribers(threadId)];
    if (by === undefined) return this.#send(audience, "serverRequest/resolved", params);
    const isAnswerer = (session: Session): boolean => session === by;
    this.#send(audience.filter(isAnswerer), "serverRequest/resolved", params);
    const answeredBy = by.client.title ?? by.client.name;
    this.#send(
      audience.filter((session) => !isAnswerer(session)),
      "serverRequest/resolved",
      { ...params, answeredBy },
    );
  }

  /** Sends a question of the v1 API to one connection only. Resolves to undefined if it refuses or disconnects. */
  async askSession(session: Session, method: string, params: unknown): Promise<unknown> {
    if ([...this.#private.values()].filter((waiting) => waiting.session === session).length >= maxWaiting) return undefined;
    const outcome = await this.#request(session, method, params);
    return outcome === undefined || "error" in outcome ? undefined : outcome.result;
  }
  /** Sends a request to one connection only. Resolves to undefined if it disconnects. */
  requestOf<M extends keyof ServerRequests>(
    session: Session,
    method: M,
    params: ParamsOf<ServerRequests[M]>,
  ): Promise<Outcome | undefined> {
    this.#options.wireCheck?.check("request", method, params);
    return this.#request(session, method, params);
  }
  #request(session: Session, method: string, params: unknown): Promise<Outcome | undefined> {
    if (!this.#sessions.has(session)) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
    const id = this.#requestIds++;
    const settle = (outcome: Outcome | undefined): void => {
      this.#private.delete(id);
      session.onClose.delete(gone);
      resolve(outcome);
    };
    const gone = (): void => settle(undefined);
    session.onClose.add(gone);
    this.#private.set(id, { session, settle });
    session.peer.send(JSON.stringify({ method, id, params }));
    return promise;
  }

  answered(session: Session, id: string | number, outcome: Outcome): void {
    const own = typeof id === "number" ? this.#private.get(id) : undefined;
    if (own?.session === session) return own.settle(outcome);
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (pending === undefined || !this.subscribers(pending.threadId).has(session)) return;
    if ("error" in outcome && outcome.error.code === methodNotFound) {
      pending.unable.set(session, outcome.error.message);
      return this.#refuseIfNobodyKnows(pending);
    }
    pending.by ??= session;
    const by = session.client.name;
    pending.settle(
      "error" in outcome ? { kind: "refused", message: outcome.error.message, by } : { kind: "answered", result: outcome.result, by },
    );
  }

  forget(threadId: string): void {
    for (const session of this.#byThread.get(threadId) ?? []) this.#raw.get(session)?.delete(threadId);
    this.#byThread.delete(threadId);
    this.#parents.delete(threadId);
    this.#readers.wake();
  }
  hurry(threadId: string, when: "now" | "atTickEnd" = "now"): void {
    if (when === "atTickEnd") return process.nextTick(() => this.hurry(threadId));
    for (const session of this.subscribers(threadId)) session.peer.flush();
  }
  isWatched(threadId: string): boolean {
    return this.subscribers(threadId).size > 0;
  }
  caughtUp(threadId: string): Promise<void> | undefined {
    return this.#readers.caughtUp(() => this.subscribers(threadId));
  }
  drained(session: Session): void {
    this.#readers.drained(session);
  }

  /** A client that lags behind the others gets no more notifications; it has to reconnect. */
  #cutOff(session: Session): void {
    for (const threadId of [...this.#byThread.keys()]) this.unsubscribe(session, threadId);
    session.peer.cutOff(tooFarBehind);
  }

  #put(session: Session, pending: Pending): void {
    const { method, params } = requestFor(session, pending.method, pending.params);
    if (method !== pending.method) this.#options.wireCheck?.check("request", method, params);
    session.peer.send(JSON.stringify({ method, id: pending.id, params }));
  }

  #refuseIfNobodyKnows({ threadId, unable, settle }: Pending): void {
    const [session] = [...this.subscribers(threadId)];
    if (session === undefined || [...this.subscribers(threadId)].some((one) => !unable.has(one))) return;
    settle({ kind: "refused", message: unable.get(session) ?? "", by: session.client.name });
  }

  /** Over stdio there will never be another client; elsewhere one may still connect. */
  #refuseIfNoClientIsLeft(): void {
    const mayCome = [...this.#sessions].some((s) => s.transport !== "stdio") || this.listening;
    for (const pending of this.#pending.values())
      if (!mayCome && this.subscribers(pending.threadId).size === 0) pending.settle({ kind: "nobody" });
  }
  /** Set while a listener accepts connections: then a request without a subscriber waits for one. */
  listening = false;

  #send<M extends keyof ServerNotifications>(to: Iterable<Session>, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    let json: string | undefined;
    for (const session of to) {
      if (session.optOut.has(method)) continue;
      json ??= this.#write(method, params);
      session.peer.send(json);
    }
  }

  /** Equal to what `#write` makes of each. */
  #writeTexts(at: TextPlace, deltas: readonly string[]): MessageSeries {
    const { clock, wireCheck } = this.#options;
    if (wireCheck !== undefined) for (const delta of deltas) wireCheck.check("notification", textMethod, { ...at, delta });
    const { threadId, turnId, itemId } = at;
    const params = JSON.stringify({ method: textMethod, params: { threadId, turnId, itemId } });
    const middles = deltas.map((delta) => JSON.stringify(delta));
    return new MessageSeries(`${params.slice(0, -2)},"delta":`, middles, `},"emittedAtMs":${JSON.stringify(clock.now())}}`);
  }

  #write(method: keyof ServerNotifications, params: unknown): string {
    this.#options.wireCheck?.check("notification", method, params);
    // In one piece: a text put together from parts is copied once more when it is sent, and this is the form of every delta and every output.
    return JSON.stringify({ method, params, emittedAtMs: this.#options.clock.now() });
  }
}
