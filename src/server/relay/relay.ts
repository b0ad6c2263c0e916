/**
 * One live view of a home: a client that opens a thread which another process on the same home runs is connected to that process. It sees
 * the thread live, steers it and answers its questions. When that process ends, a server that still has clients on the thread takes it over.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ThreadHeld } from "../../core/ports/thread-store.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { randomUuid } from "../../lib/random.ts";
import type { ThreadResumeResponse, ThreadStatus } from "../../protocol/thread.ts";
import type { Outcome } from "../../rpc/peer.ts";
import type { Transport } from "../../rpc/transport.ts";
import type { App, Call, Session } from "../app.ts";
import { dispatch } from "../dispatch.ts";
import type { Neighbours, ThreadsElsewhere } from "./elsewhere.ts";
import { greetingOf } from "./greeting.ts";
import { type Followed, Link, type Passed, threadIdIn } from "./link.ts";

export interface RelayOptions {
  readonly app: () => App;
  /** Rejects if the process does not listen there. */
  readonly connect: (socket: string) => Promise<Transport>;
  readonly neighbours: Neighbours;
}

/** These open a thread; all others need one that the client has opened. */
const opening: ReadonlySet<string> = new Set(["thread/resume", "thread/read"]);
/** A process that has just taken a thread may need a moment to listen. */
const connectTries = 20;
const betweenTriesMs = 25;
/** Another process may take a dead one's thread at the same time. */
const takeoverTries = 40;

export class Relay {
  readonly #options: RelayOptions;
  readonly #links = new Map<Session, Map<string, Link>>();
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

  /** True if the question came through a link. */
  answered(session: Session, id: string | number, outcome: Outcome): boolean {
    for (const link of this.#links.get(session)?.values() ?? []) if (link.answered(id, outcome)) return true;
    return false;
  }
  drained(session: Session): void {
    for (const link of this.#links.get(session)?.values() ?? []) link.drained();
  }
  left(session: Session): void {
    for (const link of this.#links.get(session)?.values() ?? []) link.close();
    this.#links.delete(session);
  }

  /** The status of a thread that another process runs, as far as a client here listens for such. */
  statusElsewhere(threadId: string): ThreadStatus | undefined {
    return this.#heardElsewhere?.statusOf(threadId);
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
    return [...(this.#links.get(session)?.values() ?? [])].find((link) => link.follows(threadId));
  }

  /** Undefined if no other process runs the thread, or if it is open here. */
  #linkTo(session: Session, threadId: string): Link | undefined {
    const { threads, store, subscriptions, log } = this.#options.app();
    const live = threads.find(threadId);
    if (live !== undefined && (live.ephemeral || live.lease !== undefined || subscriptions.isWatched(threadId))) return undefined;
    const socket = store.socketOf(threadId);
    if (socket === undefined) return undefined;
    // What was loaded here is as old as the moment at which it was let go.
    if (live !== undefined)
      threads.unload(threadId).catch((error: unknown) => log.warn("a thread was not unloaded", { threadId, error: errorMessage(error) }));
    return this.#linkAt(session, socket);
  }

  #linkAt(session: Session, socket: string): Link {
    const links = this.#links.get(session) ?? new Map<string, Link>();
    this.#links.set(session, links);
    const known = links.get(socket);
    if (known?.isOpen === true) return known;
    const drop = (): void => {
      if (links.get(socket) === link) links.delete(socket);
    };
    const here = ({ id, method, params }: Passed): void => session.peer.serve(id, method, params);
    const link: Link = new Link(session, this.#connect(session, socket), {
      nextRequestId: () => this.#options.app().subscriptions.nextRequestId(),
      unreachable: (requests, why) => {
        drop();
        this.#options.app().log.warn("the process that runs a thread cannot be reached", { socket, why });
        for (const request of requests) here(request);
      },
      gone: (followed, again) => {
        drop();
        for (const one of followed)
          this.#goOn(session, one).catch((error: unknown) =>
            session.notify("warning", { threadId: one.threadId, message: `the thread is no longer followed: ${errorMessage(error)}` }),
          );
        for (const request of again) if (!this.take(session, request)) here(request);
      },
      unused: () => {
        drop();
        link.close();
      },
    });
    links.set(socket, link);
    return link;
  }

  async #connect(session: Session, socket: string): Promise<Transport> {
    for (let left = connectTries; ; left--) {
      try {
        const transport = await this.#options.connect(socket);
        transport.send(greetingOf(session));
        return transport;
      } catch (error) {
        if (left === 0) throw error;
        await sleep(betweenTriesMs, undefined, { ref: false });
      }
    }
  }

  /** The process that ran a thread has ended: the first server that asks for its lease runs the thread from now on, the others follow that one. */
  async #goOn(session: Session, { threadId, running }: Followed): Promise<void> {
    for (let left = takeoverTries; left > 0; left--) {
      if (session.peer.closed) return;
      const reopened = (await this.#followAgain(session, threadId)) ?? (await this.#takeOver(session, threadId));
      if (reopened !== undefined) return this.#report(session, { threadId, running }, reopened);
      await sleep(betweenTriesMs);
    }
    throw new Error("no process could take it over; resume it");
  }

  /** Undefined if no process has the thread now. */
  #followAgain(session: Session, threadId: string): Promise<Reopened | undefined> | undefined {
    const link = this.#linkTo(session, threadId);
    if (link === undefined) return undefined;
    return new Promise((resolve) => {
      link.pass({ id: `relay-${randomUuid()}`, method: "thread/resume", params: { threadId } }, (outcome) =>
        resolve("error" in outcome ? undefined : { answer: outcome.result as ThreadResumeResponse, afterwards: [] }),
      );
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
      return { answer: (await dispatch("thread/resume", { threadId }, call)) as ThreadResumeResponse, afterwards };
    } finally {
      lease.release();
    }
  }

  /** The client learns how the turn that it followed has ended, unless it goes on. */
  #report(session: Session, { threadId, running }: Followed, { answer, afterwards }: Reopened): void {
    const ended = answer.thread.turns.find(({ id, status }) => id === running?.id && status !== "inProgress");
    if (ended !== undefined) session.notify("turn/completed", { threadId, turn: ended });
    for (const run of afterwards) run();
    const what = running === undefined ? "" : ended === undefined ? "; its turn goes on" : "; its turn was interrupted";
    session.notify("warning", { threadId, message: `The process that ran this thread has ended. Another one continues it${what}.` });
  }
}

/** The response to thread/resume, and what follows it. */
interface Reopened {
  readonly answer: ThreadResumeResponse;
  readonly afterwards: readonly (() => void)[];
}

/** A path or a history of the client's own names no running thread. */
function opens({ method, params }: Passed): boolean {
  const { path, history } = (params ?? {}) as { readonly path?: unknown; readonly history?: unknown };
  return opening.has(method) && !path && !history;
}
