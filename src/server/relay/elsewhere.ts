/**
 * The statuses of threads that other processes on this home run, for lists and inboxes: a client that has asked for a list sees which threads
 * work or wait elsewhere, without opening them. Each such process is connected once, and only while there is such a client.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Allowance } from "../../lib/allowance.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { isCode } from "../../lib/system-error.ts";
import type { ThreadStatus } from "../../protocol/thread.ts";
import type { Transport } from "../../rpc/transport.ts";
import type { App, Call, Session } from "../app.ts";
import { statusGreeting } from "./greeting.ts";
import { readStatuses, type Statuses } from "./status-feed.ts";

/** The other processes on this home, by the names of their sockets. */
export interface Neighbours {
  list(): readonly string[];
  /** False if the process that made the name is known to have ended. */
  mayListen(name: string): boolean;
  /** Calls back when the list may have changed; undefined where the system cannot tell. The returned function ends it. */
  watch(changed: () => void): (() => void) | undefined;
  /** Rejects if nobody listens there. Does not keep this process alive. */
  connect(name: string): Promise<Transport>;
}

export interface ElsewhereOptions {
  readonly app: App;
  readonly neighbours: Neighbours;
  /** Whether the client follows the thread: then it hears of it from the process that runs it. */
  readonly follows: (session: Session, threadId: string) => boolean;
}

interface Neighbour {
  readonly name: string;
  readonly transport: Transport;
  readonly ready: PromiseWithResolvers<void>;
  readonly lines: Allowance;
}

/** More processes do not share one home. */
const maxNeighbours = 256;
/** Sockets of processes that were killed stay behind; there may be many. */
const maxAtOnce = 100;
/** The first list waits this long for processes that do not answer at once; what they say later is announced. */
const patienceMs = 250;
/** A process that answers later is stopped or stuck; it is tried again with the next look. */
const silentMs = 10_000;
const againMs = 30_000;
/** A list looks again after this long: not every system reports every change of a folder. */
const lookAgainMs = 5000;
/** The name of a socket appears a moment before it accepts connections. */
const tries = 5;
const betweenTriesMs = 20;
/** The feed sends one line in 20 ms at most. */
const maxLines = { count: 300, ms: 1000 };
/** A thread whose process has ended may be taken over at once: then it was never gone. */
const handOverMs = 1500;

export class ThreadsElsewhere {
  readonly #options: ElsewhereOptions;
  readonly #listeners = new Set<Session>();
  readonly #neighbours = new Map<string, Neighbour>();
  readonly #connecting = new Map<string, Promise<void>>();
  /** When a name may be tried again, in monotonic milliseconds. */
  readonly #notBefore = new Map<string, number>();
  readonly #known = new Map<string, { readonly status: ThreadStatus; readonly by: string }>();
  #stopWatching: (() => void) | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Not all names could be tried at once. */
  #hasMore = false;

  constructor(options: ElsewhereOptions) {
    this.#options = options;
  }

  get hasAny(): boolean {
    return this.#known.size > 0;
  }
  statusOf(threadId: string): ThreadStatus | undefined {
    return this.#known.get(threadId)?.status;
  }

  /** From here on the client is notified of statuses elsewhere, until it leaves. Waits a moment for those that are not known yet. */
  async listen({ session, after }: Call): Promise<void> {
    const isNew = !this.#listeners.has(session);
    if (isNew) {
      this.#listeners.add(session);
      session.onClose.add(() => this.#left(session));
    }
    this.#stopWatching ??= this.#options.neighbours.watch(() => this.#look());
    if (isNew || performance.now() - this.#lookedAt > lookAgainMs) this.#look();
    if (!isNew) return;
    if (this.#connecting.size > 0) await this.#patience();
    after(() => this.#introduce(session));
  }

  /** Keeps the process alive meanwhile: the connections do not, and a program that only lists would end without a word. */
  async #patience(): Promise<void> {
    const enough = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#connecting.values()), late]);
    enough.abort();
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  /** What works or waits now; a list shows the rest. */
  #introduce(session: Session): void {
    for (const [threadId, { status }] of this.#known) if (status.type === "active") this.#notify(session, threadId, status);
  }

  #left(session: Session): void {
    this.#listeners.delete(session);
    if (this.#listeners.size === 0) this.#stop();
  }

  #stop(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    for (const { transport } of this.#neighbours.values()) transport.close();
    this.#neighbours.clear();
    this.#notBefore.clear();
    this.#known.clear();
  }

  #look(): void {
    if (this.#listeners.size === 0) return;
    this.#lookedAt = performance.now();
    this.#hasMore = false;
    const { list, mayListen } = this.#options.neighbours;
    // What killed processes left behind comes last.
    const names = new Set(list().toSorted((a, b) => Number(mayListen(b)) - Number(mayListen(a))));
    for (const name of this.#notBefore.keys()) if (!names.has(name)) this.#notBefore.delete(name);
    for (const name of names) {
      if (this.#neighbours.has(name) || this.#connecting.has(name)) continue;
      if (performance.now() < (this.#notBefore.get(name) ?? Number.NEGATIVE_INFINITY)) continue;
      this.#hasMore = this.#connecting.size >= maxAtOnce;
      if (this.#hasMore || this.#neighbours.size >= maxNeighbours) return;
      const connecting = this.#connect(name).finally(() => {
        this.#connecting.delete(name);
        if (this.#hasMore && this.#connecting.size < maxAtOnce / 2) this.#look();
      });
      this.#connecting.set(name, connecting);
    }
  }

  async #connect(name: string): Promise<void> {
    for (let left = tries; ; left--) {
      try {
        return await this.#connected(name, await this.#options.neighbours.connect(name));
      } catch (error) {
        const mayCome = isCode(error, "ECONNREFUSED") && left > 0 && this.#options.neighbours.mayListen(name);
        if (!mayCome) return this.#skip(name, errorMessage(error), isCode(error, "ECONNREFUSED", "ENOENT"));
        await sleep(betweenTriesMs, undefined, { ref: false });
      }
    }
  }

  #skip(name: string, why: string, isDead: boolean): void {
    // A process never uses a name again, so one that is dead stays dead.
    this.#notBefore.set(name, isDead ? Number.POSITIVE_INFINITY : performance.now() + againMs);
    if (!isDead) this.#options.app.log.info("the threads of another process are not shown", { name, why });
  }

  /** Resolves when its threads are known, or it has gone. */
  async #connected(name: string, transport: Transport): Promise<void> {
    if (this.#listeners.size === 0) return transport.close();
    const neighbour: Neighbour = { name, transport, ready: Promise.withResolvers(), lines: new Allowance(maxLines) };
    this.#neighbours.set(name, neighbour);
    const drop = (why: string): void => {
      this.#skip(name, why, false);
      transport.close();
    };
    const silence = setTimeout(() => drop("it does not answer"), silentMs).unref();
    transport.onMessage = (line) => {
      if (this.#neighbours.get(name) !== neighbour) return;
      clearTimeout(silence);
      const statuses = neighbour.lines.take() === undefined ? undefined : readStatuses(line);
      if (statuses === undefined) return drop("it sends what is no status");
      this.#take(name, statuses);
      neighbour.ready.resolve();
    };
    transport.onTooLong = () => drop("it sends too much");
    transport.onClose = () => {
      clearTimeout(silence);
      neighbour.ready.resolve();
      if (this.#neighbours.get(name) !== neighbour) return;
      this.#neighbours.delete(name);
      if (!this.#notBefore.has(name)) this.#notBefore.set(name, performance.now() + againMs);
      setTimeout(() => this.#ended(name), handOverMs).unref();
    };
    transport.send(statusGreeting);
    await neighbour.ready.promise;
  }

  #take(name: string, statuses: Statuses): void {
    const { store } = this.#options.app;
    for (const [threadId, given] of statuses) {
      // Only the process that holds the thread can say anything about it.
      const status = given !== null && store.socketOf(threadId) === name ? given : null;
      const known = this.#known.get(threadId);
      if (status === null) {
        if (known?.by === name) this.#forget(threadId);
      } else if (known === undefined || JSON.stringify(known.status) !== JSON.stringify(status)) {
        this.#known.set(threadId, { status, by: name });
        this.#announce(threadId, status);
      } else if (known.by !== name) this.#known.set(threadId, { status, by: name });
    }
  }

  #ended(name: string): void {
    if (this.#neighbours.has(name)) return;
    for (const [threadId, { by }] of this.#known) if (by === name) this.#forget(threadId);
  }

  #forget(threadId: string): void {
    this.#known.delete(threadId);
    const isHere = this.#options.app.threads.all.some((thread) => thread.id === threadId);
    if (!isHere) this.#announce(threadId, { type: "notLoaded" });
  }

  #announce(threadId: string, status: ThreadStatus): void {
    for (const session of this.#listeners) this.#notify(session, threadId, status);
  }

  #notify(session: Session, threadId: string, status: ThreadStatus): void {
    if (!this.#options.follows(session, threadId)) session.notify("thread/status/changed", { threadId, status });
  }
}
