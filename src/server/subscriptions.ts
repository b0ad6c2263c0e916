/** Which connection hears which thread, what waits for an answer, and who is behind with reading. Implements the core's Audience. */

import type { Answer, Audience } from "../core/ports/audience.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { ParamsOf } from "../protocol/define.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { ServerNotifications, ServerRequests } from "../protocol/methods.ts";
import type { Outcome } from "../rpc/peer.ts";
import { tooFarBehind } from "../rpc/transport.ts";
import { isOlder, type Session } from "./app.ts";
import { requestFor } from "./dialect.ts";
import { Readers } from "./readers.ts";
import type { WireCheck } from "./wire-check.ts";

interface Pending {
  readonly id: number;
  readonly threadId: string;
  readonly method: keyof ServerRequests;
  readonly params: unknown;
  readonly settle: (answer: Answer) => void;
  /** Who answered first. */
  by?: Session;
}

/** Threads that one connection watches. */
const maxWatched = 500;
/** Questions of one thread, and of the older API on one connection, that wait for an answer. */
const maxWaiting = 64;

/** Node takes a longer one for none at all. */
const longestTimer = 2 ** 31 - 1;

export interface SubscriptionOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Seconds until a request of this kind counts as a no; undefined waits for ever. */
  readonly timeoutFor: (method: string) => number | undefined;
  /** Set in tests. */
  readonly wireCheck: WireCheck | undefined;
}

export class Subscriptions implements Audience {
  readonly #options: SubscriptionOptions;
  readonly #sessions = new Set<Session>();
  readonly #byThread = new Map<string, Set<Session>>();
  /** Threads of which a session hears the model's items as they are. */
  readonly #raw = new WeakMap<Session, Set<string>>();
  readonly #parents = new Map<string, string>();
  readonly #pending = new Map<number, Pending>();
  readonly #private = new Map<number, { readonly session: Session; readonly settle: (result: unknown) => void }>();
  readonly #readers: Readers;
  #sessionIds = 0;
  #requestIds = 0;
  /** Called when the last subscriber of a thread has gone. */
  onUnwatched: (threadId: string) => void = () => {};

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#readers = new Readers((session) => this.#cutOff(session));
  }

  nextSessionId(): number {
    return this.#sessionIds++;
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
    if (session.transport === "stdio") this.#refuseWhereNobodyIsLeft();
    this.#readers.left(session);
  }

  /** Before a session joins one more thread. Throws where it watches as many as it may. */
  checkRoom(session: Session, threadId?: string): void {
    if (threadId !== undefined && this.#byThread.get(threadId)?.has(session) === true) return;
    let watched = 0;
    for (const audience of this.#byThread.values()) if (audience.has(session)) watched++;
    if (watched >= maxWatched)
      throw invalidRequest(`this connection watches ${maxWatched} threads, the most that it may; let some go with thread/unsubscribe`);
  }
  /** Returns false when it was subscribed already. Pending questions of the thread are put to the newcomer under their own ids. */
  subscribe(session: Session, threadId: string, raw: boolean = session.receivesRaw): boolean {
    if (raw) this.#raw.set(session, (this.#raw.get(session) ?? new Set()).add(threadId));
    const audience = this.#byThread.get(threadId) ?? new Set();
    this.#byThread.set(threadId, audience);
    if (audience.has(session)) return false;
    audience.add(session);
    this.#readers.wake(); // somebody who keeps up may be what a stream waits for
    return true;
  }
  /** Puts what is pending on a thread to one session again: after its answer to `thread/resume`. */
  replay(session: Session, threadId: string): void {
    for (const pending of this.#pending.values()) if (pending.threadId === threadId) this.#put(session, pending);
  }
  unsubscribe(session: Session, threadId: string): boolean {
    const audience = this.#byThread.get(threadId);
    if (audience === undefined || !audience.delete(session)) return false;
    this.#raw.get(session)?.delete(threadId);
    if (audience.size === 0) {
      this.#byThread.delete(threadId);
      this.onUnwatched(threadId);
    }
    return true;
  }
  /** Those who hear a thread: its own subscribers, and those of the thread that started it. */
  subscribers(threadId: string): ReadonlySet<Session> {
    const own = this.#byThread.get(threadId) ?? new Set();
    const parent = this.#parents.get(threadId);
    return parent === undefined ? own : new Set([...own, ...this.subscribers(parent)]);
  }
  /** From here on the parent's subscribers hear the child and answer its questions. */
  adopt(childId: string, parentId: string): void {
    this.#parents.set(childId, parentId);
  }
  /** The thread is no longer there; who comes back to it adopts it anew. */
  unloaded(threadId: string): void {
    this.#parents.delete(threadId);
  }
  pendingOn(threadId: string): readonly number[] {
    return [...this.#pending.values()].filter((p) => p.threadId === threadId).map((p) => p.id);
  }

  toThread<M extends keyof ServerNotifications>(threadId: string, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    const audience = this.subscribers(threadId);
    if (method !== "rawResponseItem/completed" && method !== "rawResponse/completed") return this.#send(audience, method, params);
    this.#send(
      [...audience].filter((session) => this.#raw.get(session)?.has(threadId) === true),
      method,
      params,
    );
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
  }
  toSession<M extends keyof ServerNotifications>(session: Session, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.#send([session], method, params);
  }

  async ask<M extends keyof ServerRequests>(
    threadId: string,
    method: M,
    params: ParamsOf<ServerRequests[M]>,
    signal: AbortSignal,
  ): Promise<Answer> {
    signal.throwIfAborted();
    if (this.pendingOn(threadId).length >= maxWaiting)
      return { kind: "refused", message: `${maxWaiting} questions of this thread wait for an answer already`, by: "the server" };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const pending: Pending = { id: this.#requestIds++, threadId, method, params, settle: resolve };
    this.#pending.set(pending.id, pending);
    const seconds = this.#options.timeoutFor(method);
    const timer =
      seconds === undefined ? undefined : setTimeout(() => resolve({ kind: "timedOut" }), Math.min(seconds * 1000, longestTimer));
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    for (const session of this.subscribers(threadId)) this.#put(session, pending);
    this.#refuseWhereNobodyIsLeft();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      this.#pending.delete(pending.id);
      this.#announceEnd(pending);
    }
  }

  /** The one who answered knows; the others are told whose word it was. */
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

  /** Asks one connection alone, about no thread. Resolves to undefined when it refuses or goes away. */
  askSession(session: Session, method: string, params: unknown): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    if ([...this.#private.values()].filter((waiting) => waiting.session === session).length >= maxWaiting)
      return Promise.resolve(undefined);
    const id = this.#requestIds++;
    const settle = (result: unknown): void => {
      this.#private.delete(id);
      session.onClose.delete(gone);
      resolve(result);
    };
    const gone = (): void => settle(undefined);
    session.onClose.add(gone);
    this.#private.set(id, { session, settle });
    session.peer.send(JSON.stringify({ method, id, params }));
    return promise;
  }

  answered(session: Session, id: string | number, outcome: Outcome): void {
    const own = typeof id === "number" ? this.#private.get(id) : undefined;
    if (own?.session === session) return own.settle("error" in outcome ? undefined : outcome.result);
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (pending === undefined || !this.subscribers(pending.threadId).has(session)) return;
    pending.by ??= session;
    const by = session.client.name;
    pending.settle(
      "error" in outcome ? { kind: "refused", message: outcome.error.message, by } : { kind: "answered", result: outcome.result, by },
    );
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

  /** A client that lags behind the others hears no more of any thread; it comes back over another connection. */
  #cutOff(session: Session): void {
    for (const threadId of [...this.#byThread.keys()]) this.unsubscribe(session, threadId);
    session.peer.cutOff(tooFarBehind);
  }

  #put(session: Session, pending: Pending): void {
    const { method, params } = requestFor(session, pending.method, pending.params);
    if (method !== pending.method) this.#options.wireCheck?.check("request", method, params);
    session.peer.send(JSON.stringify({ method, id: pending.id, params }));
  }

  /** Over stdio the client is the only one there will ever be; elsewhere somebody may still come. */
  #refuseWhereNobodyIsLeft(): void {
    const mayCome = [...this.#sessions].some((s) => s.transport !== "stdio") || this.listening;
    for (const pending of this.#pending.values())
      if (!mayCome && this.subscribers(pending.threadId).size === 0) pending.settle({ kind: "nobody" });
  }
  /** Set while a listener accepts connections: then a request without a reader waits for one. */
  listening = false;

  #send<M extends keyof ServerNotifications>(to: Iterable<Session>, method: M, params: ParamsOf<ServerNotifications[M]>): void {
    let json: string | undefined;
    for (const session of to) {
      if (session.optOut.has(method)) continue;
      json ??= this.#write(method, params);
      session.peer.send(json);
    }
  }

  #write(method: keyof ServerNotifications, params: unknown): string {
    this.#options.wireCheck?.check("notification", method, params);
    return `{"method":${JSON.stringify(method)},"params":${JSON.stringify(params)},"emittedAtMs":${this.#options.clock.now()}}`;
  }
}
