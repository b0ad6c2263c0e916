/**
 * One live view of a home: a client that opens a thread which another process on the same home runs is connected to that process. It sees
 * the thread live, steers it and answers its questions. When that process ends, a server that still has clients on the thread takes it over.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ThreadHeld, ThreadLost } from "../../core/ports/thread-store.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { JsonText } from "../../lib/json-text.ts";
import { randomUuid } from "../../lib/random.ts";
import { isCode } from "../../lib/system-error.ts";
import { invalidRequest, RpcError } from "../../protocol/errors.ts";
import type { ThreadResumeResponse, ThreadStatus } from "../../protocol/thread.ts";
import { type Followed, Link, type LinkClient, type LinkEvents, type SilenceRules } from "../../relay/link.ts";
import { movedMark, objectOf, type Passed, RunsElsewhere, threadIdIn } from "../../relay/messages.ts";
import { Questions } from "../../relay/questions.ts";
import { answeredLater, BigId, type Id, type Outcome } from "../../rpc/peer.ts";
import type { Transport } from "../../rpc/transport.ts";
import type { App, Call, Session } from "../app.ts";
import { dispatch } from "../dispatch.ts";
import type { Neighbours, ThreadsElsewhere } from "./elsewhere.ts";
import { greetingOf } from "./greeting.ts";

export interface RelayOptions {
  readonly app: () => App;
  /** Rejects if the process does not listen there. */
  readonly connect: (socket: string) => Promise<Transport>;
  readonly neighbours: Neighbours;
}

/** Requests that change nothing: they are simply asked again elsewhere. */
const harmless: ReadonlySet<string> = new Set(["thread/resume", "thread/read", "thread/turns/list", "thread/items/list"]);
/** These open a thread; all others need one that the client has opened. */
const opening: ReadonlySet<string> = new Set(["thread/resume", "thread/read"]);
/** A process that has just taken a thread may need a moment to listen, on a busy machine a long one. */
const listenMs = 5000;
const betweenTriesMs = 25;
/** A process that did not listen in that time is not waited for again so soon. */
const deafMs = 30_000;
/** More often than this a thread does not change its process while somebody opens it. */
const maxMoves = 5;
/** Another process may take a dead one's thread at the same time. */
const takeoverTries = 40;

export class Relay {
  readonly #options: RelayOptions;
  readonly #clients = new Map<Session, RelayedClient>();
  /** Sockets at which nobody listens although their process holds threads, and until when that is believed, in monotonic milliseconds. */
  readonly #deaf = new Map<string, number>();
  #elsewhere: Promise<ThreadsElsewhere> | undefined;
  #heardElsewhere: ThreadsElsewhere | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** True if the request was passed on to the process that runs its thread; the client gets the answer from there. */
  take(session: Session, request: Passed): boolean {
    const threadId = threadIdIn(request.params);
    if (threadId === undefined || session.isRelayed || !session.initialized) return false;
    const link = this.#following(session, threadId) ?? (opens(request) ? this.#linkTo(session, threadId) : undefined);
    link?.pass(request);
    return link !== undefined;
  }

  /** Whether a request that opens a thread can be passed on to the process that holds it. */
  canPass({ session, id }: Call, threadId: string): boolean {
    const socket = this.#options.app().store.socketOf(threadId);
    if (socket === undefined || id instanceof BigId) return false;
    const isSilent = this.#clients.get(session)?.links.get(socket)?.isSilent === true;
    return !isSilent && performance.now() >= (this.#deaf.get(socket) ?? Number.NEGATIVE_INFINITY);
  }

  /** Another process was faster while a thread was being opened here: the request is passed on to it after all. Throws all other errors. */
  takeLate(
    session: Session,
    { id, method, params }: { readonly id: Id; readonly method: string; readonly params: unknown },
    error: unknown,
  ): typeof answeredLater {
    if (session.isRelayed && (error instanceof ThreadHeld || error instanceof ThreadLost))
      throw new RpcError(-32_600, error.message, movedMark);
    if (!(error instanceof RunsElsewhere)) throw error;
    if (session.isRelayed) throw new RpcError(-32_600, error.message, movedMark);
    if (id instanceof BigId) throw invalidRequest(error.message);
    // It may have been named by its file.
    const request = { id, method, params: { ...objectOf(params), threadId: error.threadId, path: undefined } };
    if (!this.take(session, request)) session.peer.serve(id, method, params);
    return answeredLater;
  }

  /** True if the question came through a link. */
  answered(session: Session, id: string | number, outcome: Outcome): boolean {
    return this.#clients.get(session)?.questions.answered(id, outcome) === true;
  }
  drained(session: Session): void {
    for (const link of this.#linksOf(session)) link.drained();
  }
  left(session: Session): void {
    for (const link of this.#linksOf(session)) link.close();
    this.#clients.delete(session);
  }

  /** The status of a thread that another process runs, as far as a client here listens for such. */
  statusElsewhere(threadId: string): ThreadStatus | undefined {
    return this.#heardElsewhere?.statusOf(threadId);
  }
  /** Whether there is any such status. */
  get hasElsewhere(): boolean {
    return this.#heardElsewhere?.hasAny === true;
  }
  /** A client that lists threads is notified of those that other processes run, from here on. */
  async listenElsewhere(call: Call): Promise<void> {
    if (call.session.isRelayed || call.session.optOut.has("thread/status/changed")) return;
    const { app, neighbours } = this.#options;
    const follows = (session: Session, threadId: string): boolean => this.#following(session, threadId) !== undefined;
    this.#elsewhere ??= import("./elsewhere.ts").then(({ ThreadsElsewhere }) => new ThreadsElsewhere({ app: app(), neighbours, follows }));
    this.#heardElsewhere = await this.#elsewhere;
    await this.#heardElsewhere.listen(call);
  }
  close(): void {
    this.#heardElsewhere?.close();
  }

  #following(session: Session, threadId: string): Link | undefined {
    return this.#linksOf(session).find((link) => link.follows(threadId));
  }
  #linksOf(session: Session): readonly Link[] {
    return [...(this.#clients.get(session)?.links.values() ?? [])];
  }
  #clientOf(session: Session): RelayedClient {
    const known = this.#clients.get(session);
    if (known !== undefined) return known;
    const { subscriptions } = this.#options.app();
    const client = relayedClient(session, new Questions(() => subscriptions.nextRequestId()));
    this.#clients.set(session, client);
    return client;
  }

  /** Undefined if no other process runs the thread, or if it is open here. */
  #linkTo(session: Session, threadId: string): Link | undefined {
    const { threads, store, subscriptions } = this.#options.app();
    const live = threads.find(threadId);
    const isWatched = subscriptions.isWatched(threadId);
    if (live !== undefined && (live.ephemeral || live.lease !== undefined)) return undefined;
    // One that could only be read may have become reachable.
    if (isWatched && live?.readOnlyBecause === undefined) return undefined;
    const socket = store.socketOf(threadId);
    if (socket === undefined || performance.now() < (this.#deaf.get(socket) ?? Number.NEGATIVE_INFINITY)) return undefined;
    // What was loaded here is as old as the moment at which it was let go.
    if (live !== undefined && !isWatched) this.#unload(threadId);
    return this.#linkAt(session, socket, threadId);
  }

  #unload(threadId: string): void {
    const { threads, log } = this.#options.app();
    threads.unload(threadId).catch((error: unknown) => log.warn("a thread was not unloaded", { threadId, error: errorMessage(error) }));
  }

  #linkAt(session: Session, socket: string, threadId: string): Link {
    const client = this.#clientOf(session);
    const known = client.links.get(socket);
    if (known?.isOpen === true) return known;
    const link: Link = new Link(client, this.#connect(session, socket, threadId), {
      isRepeatable: (method) => harmless.has(method),
      lost,
      // What concerns no thread, the client hears from its own server.
      hears: (one) => one !== undefined,
      silence: this.#silenceRules(session, socket, () => link),
      ...this.#linkEnds(session, { socket, threadId }, () => link),
    });
    client.links.set(socket, link);
    return link;
  }

  #linkEnds(
    session: Session,
    { socket, threadId }: { readonly socket: string; readonly threadId: string },
    link: () => Link,
  ): Pick<LinkEvents, "unreachable" | "moved" | "gone" | "unused"> {
    const { links, questions } = this.#clientOf(session);
    const drop = (): void => {
      if (links.get(socket) === link()) links.delete(socket);
    };
    return {
      unreachable: (requests, why) => {
        drop();
        this.#options.app().log.warn("the process that runs a thread cannot be reached", { socket, why: errorMessage(why) });
        if (this.#options.app().store.socketOf(threadId) === socket) this.#isDeaf(socket);
        for (const request of requests) this.#again(session, request);
      },
      moved: (request) => this.#again(session, request),
      gone: (followed, again) => {
        drop();
        // The process that goes on asks again, under an id of its own.
        for (const { ours, threadId: of = "" } of questions.drop(() => true))
          session.notify("serverRequest/resolved", { threadId: of, requestId: ours });
        for (const one of followed)
          this.#goOn(session, one).catch((error: unknown) =>
            session.notify("warning", { threadId: one[0], message: `the thread is no longer followed: ${errorMessage(error)}` }),
          );
        for (const request of again) if (!this.take(session, request)) session.peer.serve(request.id, request.method, request.params);
      },
      unused: () => {
        drop();
        link().close();
      },
    };
  }

  #silenceRules(session: Session, socket: string, link: () => Link): SilenceRules {
    return {
      unanswered,
      silent: (followed, readable) => {
        for (const one of followed) session.notify("warning", { threadId: one, message: silentText(socket) });
        for (const { id, method, params } of readable) session.peer.serve(id, method, params);
      },
      woke: (followed, opened) => {
        for (const one of followed) this.#leaveCopy(session, one);
        for (const one of followed.filter((id) => !opened.includes(id))) session.notify("warning", { threadId: one, message: wokeText });
        for (const one of opened)
          this.#joinLate(session, link(), one).catch((error: unknown) =>
            this.#options.app().log.warn("a thread that answers again was not joined", { threadId: one, error: errorMessage(error) }),
          );
      },
    };
  }

  /** Passes a request that nobody has carried out to whichever process has the thread now, else answers it here. */
  #again(session: Session, request: Passed): void {
    const moves = (request.moves ?? 0) + 1;
    if (moves > maxMoves || !this.take(session, { ...request, moves })) session.peer.serve(request.id, request.method, request.params);
  }

  #isDeaf(socket: string): void {
    const now = performance.now();
    for (const [name, until] of this.#deaf) if (until < now) this.#deaf.delete(name);
    this.#deaf.set(socket, now + deafMs);
  }

  async #connect(session: Session, socket: string, threadId: string): Promise<Transport> {
    const { store } = this.#options.app();
    const until = performance.now() + listenMs;
    for (;;) {
      try {
        const transport = await this.#options.connect(socket);
        transport.send(greetingOf(session));
        return transport;
      } catch (error) {
        const mayListen = performance.now() < until && isCode(error, "ENOENT", "ECONNREFUSED", "EAGAIN");
        if (!mayListen || store.socketOf(threadId) !== socket) throw error;
        await sleep(betweenTriesMs, undefined, { ref: false });
      }
    }
  }

  /** The client has read a copy here while the process that runs the thread did not answer. */
  #leaveCopy(session: Session, threadId: string): void {
    const { threads, subscriptions } = this.#options.app();
    if (threads.find(threadId)?.readOnlyBecause === undefined) return;
    subscriptions.unsubscribe(session, threadId);
    if (!subscriptions.isWatched(threadId)) this.#unload(threadId);
  }

  /** The process had not opened the thread for the client when it fell silent. */
  async #joinLate(session: Session, link: Link, threadId: string): Promise<void> {
    const reopened = await this.#resumeThrough(link, threadId);
    const running = reopened?.answer.thread.turns.findLast(({ status }) => status === "inProgress");
    if (running !== undefined) session.notify("turn/started", { threadId, turn: running });
    session.notify("warning", { threadId, message: wokeText });
  }

  /** The process that ran a thread has ended: the first server that asks for its lease runs the thread from now on, the others follow that one. */
  async #goOn(session: Session, followed: Followed): Promise<void> {
    const [threadId] = followed;
    for (let left = takeoverTries; left > 0; left--) {
      if (session.peer.closed) return;
      const reopened = (await this.#followAgain(session, followed)) ?? (await this.#takeOver(session, threadId));
      if (reopened !== undefined) return this.#report(session, followed, reopened);
      await sleep(betweenTriesMs);
    }
    throw new Error("no process could take it over; resume it");
  }

  /** Undefined if no process has the thread now. */
  #followAgain(session: Session, [threadId, told]: Followed): Promise<Reopened | undefined> | undefined {
    const link = this.#linkTo(session, threadId);
    if (link === undefined) return undefined;
    told.hold();
    link.follow(threadId, told);
    return this.#resumeThrough(link, threadId);
  }

  #resumeThrough(link: Link, threadId: string): Promise<Reopened | undefined> {
    return new Promise((resolve) => {
      link.pass({ id: `relay-${randomUuid()}`, method: "thread/resume", params: { threadId } }, (outcome) => {
        if ("error" in outcome) link.leave(threadId);
        resolve("error" in outcome ? undefined : { answer: outcome.result as ThreadResumeResponse, afterwards: [], link });
      });
    });
  }

  /** Undefined if another process was faster. */
  async #takeOver(session: Session, threadId: string): Promise<Reopened | undefined> {
    const app = this.#options.app();
    const lease = await app.store.lease(threadId, session.client.name).catch((error: unknown) => {
      if (error instanceof ThreadHeld) return undefined;
      throw error;
    });
    if (lease === undefined) return undefined;
    try {
      const afterwards: (() => void)[] = [];
      const call = { app, session, id: "", after: (run: () => void) => void afterwards.push(run) };
      const result = await dispatch("thread/resume", { threadId }, call);
      return { answer: (result instanceof JsonText ? result.toJSON() : result) as ThreadResumeResponse, afterwards };
    } finally {
      lease.release();
    }
  }

  /**
   * The client learns what it missed of the turn that it followed: the dead process may have stored, and announced to others, what it could not
   * send here any more; and how the turn has ended, unless it goes on. What the new process has sent meanwhile follows.
   */
  #report(session: Session, [threadId, told]: Followed, { answer, afterwards, link }: Reopened): void {
    const { running } = told;
    for (const { method, params } of told.missing(threadId, answer.thread.turns)) session.notify(method, params);
    for (const run of afterwards) run();
    const what = running === undefined ? "" : told.running === running ? "; its turn goes on" : "; its turn was interrupted";
    session.notify("warning", { threadId, message: `The process that ran this thread has ended. Another one continues it${what}.` });
    link?.release(threadId);
  }
}

/** A client and its links, by the names of the sockets. */
interface RelayedClient extends LinkClient {
  readonly links: Map<string, Link>;
}

const relayedClient = (session: Session, questions: Questions): RelayedClient => ({
  links: new Map(),
  questions,
  get backlog() {
    return session.peer.backlog;
  },
  send: (json) => session.peer.send(json),
  respond: (id, outcome) => session.peer.respond(id, outcome),
  notify: session.notify,
  cutOff: (why) => session.peer.cutOff(why),
});

/** The name of a socket begins with the number of its process. */
const silentText = (socket: string): string =>
  `The process that runs this thread (${Number.parseInt(socket, 10)}) does not answer: it is stopped or stuck. The thread can be read, but not continued, until it goes on or ends; only then can another process take over without two of them writing.`;
const wokeText = "The process that runs this thread answers again.";

const unanswered = (method: string, isSent: boolean): RpcError =>
  invalidRequest(
    `the process that runs this thread does not answer: it is stopped or stuck. ${method} ${isSent ? "was sent to it and is carried out if it goes on" : "was not sent"}; let it go on or end it, then ${isSent ? "read the thread" : "try again"}`,
  );
const lost = (method: string): RpcError =>
  invalidRequest(
    `the process that ran this thread ended before it answered ${method}; it may have been carried out: read the thread, then send it again if not`,
  );

/** The response to thread/resume, and what follows it. */
interface Reopened {
  readonly answer: ThreadResumeResponse;
  readonly afterwards: readonly (() => void)[];
  /** Set if another process has the thread. */
  readonly link?: Link;
}

/** A path or a history of the client's own names no running thread. */
function opens({ method, params }: Passed): boolean {
  const { path, history } = (params ?? {}) as { readonly path?: unknown; readonly history?: unknown };
  return opening.has(method) && !path && !history;
}
