/** The manager without HTTP: the link to the engine, sessions, pending requests, access, and the event stream. */
import { mkdirSync } from "node:fs";
import { openClient } from "../client/client.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import { randomUuid } from "../lib/random.ts";
import type { ServerNotification } from "../protocol/methods.ts";
import type { Turn } from "../protocol/turn.ts";
import { EngineLink, type LinkState } from "../sessions/link.ts";
import type { Messages } from "../sessions/messages.ts";
import type { Actor } from "../sessions/records.ts";
import { type RuleNotes, Rules } from "../sessions/rules.ts";
import type { Session } from "../sessions/sessions.ts";
import { Access } from "./access.ts";
import { AuditLog } from "./audit.ts";
import { ChangeCounts } from "./changes.ts";
import { Decisions } from "./decisions.ts";
import { DeltaMerge } from "./delta-merge.ts";
import type { Engine } from "./engine.ts";
import { emitAliases } from "./event-aliases.ts";
import { type PassThroughEvent, passThroughName } from "./events.ts";
import type { Fleet } from "./fleet.ts";
import { Hub } from "./hub.ts";
import { managerMessages } from "./messages.ts";
import type { Previews } from "./previews.ts";
import { Projects } from "./projects.ts";
import { Push } from "./push/push.ts";
import { Requests } from "./requests.ts";
import { readDiff } from "./routes/session-diff.ts";
import { dropWorktree } from "./routes/worktrees.ts";
import { runSchedule } from "./run-schedule.ts";
import { Schedules } from "./schedules.ts";
import { Sessions } from "./sessions.ts";
import { Shares } from "./shares.ts";
import { ManagerStore } from "./store.ts";
import { Terminals } from "./terminals.ts";

export interface ManagerOptions {
  readonly engine: Engine;
  /** Where the manager stores its state. */
  readonly folder: string;
  readonly version: string;
  readonly fileToken: string;
  /** The fleet that the engine belongs to, where the manager may look at it. */
  readonly fleet?: Fleet | undefined;
  /** Push services besides those of the browsers' makers. */
  readonly pushHosts?: readonly string[];
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly now?: () => number;
}

/** Idle threads are unsubscribed after this time, and subscribed again when someone opens them. */
const restAfterMs = 20 * 60 * 1000;
const cleanUpEveryMs = 60 * 1000;
/** How long a remote engine has to repeat its open requests. */
const rejoinMs = 1000;

export class Manager {
  readonly engine: Engine;
  readonly fleet: Fleet | undefined;
  readonly version: string;
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly audit: AuditLog;
  readonly decisions: Decisions;
  readonly access: Access;
  readonly sessions: Sessions;
  readonly requests: Requests;
  readonly messages: Messages;
  readonly rules: Rules;
  readonly projects: Projects;
  readonly push: Push;
  readonly schedules: Schedules;
  readonly shares: Shares;
  readonly terminals: Terminals;
  readonly link: EngineLink;
  readonly now: () => number;
  readonly warn: ManagerOptions["warn"];
  /** Sessions in which a program requested the offline tour. */
  readonly tourSessions = new WeakSet<Session>();
  /** The addresses of the page, the likeliest for another device first; set when the manager listens. Networks come and go. */
  addresses: () => readonly string[] = () => [];
  /** Set when the manager listens. */
  previews: Previews | undefined;
  /** Sessions that an open socket follows. */
  watched: () => ReadonlySet<string> = () => new Set();
  readonly #counts = this.#makeCounts();
  readonly #merge: DeltaMerge;
  /** Whether the engine was last announced as running. */
  #isUp = false;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: ManagerOptions) {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.engine = options.engine;
    this.fleet = options.fleet;
    this.version = options.version;
    this.warn = options.warn;
    this.now = options.now ?? Date.now;
    const now = this.now;
    this.store = new ManagerStore(options.folder, options.warn);
    this.audit = new AuditLog(options.folder, now);
    this.decisions = new Decisions(options.folder, options.warn);
    this.access = new Access(this.store, options.fileToken, now);
    this.hub = new Hub(randomUuid(), (id) => this.sessions.isSystemOwned(id));
    const link = (): EngineLink => this.link;
    this.sessions = new Sessions({
      ...{ hub: this.hub, store: this.store, link, now },
      pendingCount: (id) => this.requests.count(id),
      queued: (id) => this.messages.count(id),
      learned: (thread) => this.projects.learn(thread),
    });
    this.projects = this.#makeProjects(link);
    this.requests = new Requests({
      ...{ hub: this.hub, store: this.store, audit: this.audit, decisions: this.decisions, now },
      respond: (id, outcome) => this.link.respond(id, outcome),
      isSystemOwned: (id) => this.sessions.isSystemOwned(id),
      isDeleted: (id) => this.sessions.isDeleted(id),
      rootOf: (id) => this.sessions.rootOf(id),
      titleOf: (id) => this.sessions.titleOf(id),
      changed: (id) => this.#changed(id),
      waits: (request) => this.push.needsYou(request),
    });
    this.messages = managerMessages({ hub: this.hub, store: this.store, sessions: this.sessions, link, now, warn: options.warn });
    this.rules = new Rules(link, this.#ruleNotes(), now);
    this.push = this.#makePush(options);
    this.terminals = new Terminals(link, now);
    this.shares = new Shares(options.folder, this.store, now);
    this.schedules = this.#makeSchedules();
    this.#merge = new DeltaMerge((message) => this.#publish(message));
    this.link = new EngineLink({
      open: async (handlers, signal) =>
        openClient(await options.engine.connect(signal), {
          clientInfo: { name: "parley_manager", title: "Parley manager", version: options.version },
          onTrouble: (error) => options.warn("engine connection", { error: error.message }),
          ...handlers,
        }),
      request: (request) => {
        this.#merge.flush();
        this.hub.passThrough(passThroughName(request.method, "request"), threadOf(request.params), () =>
          this.#signal("request", request.method, request.params, String(request.id)),
        );
        this.requests.add(request);
      },
      notification: (message) => this.#receive(message),
      ready: () => this.#joinRunning(),
      state: (state) => this.#linkState(state),
      isForeign: () => options.engine.remote,
      givesUp: () => false,
      warn: options.warn,
      now,
    });
    this.#timer = setInterval(() => void this.#cleanUp(), cleanUpEveryMs).unref();
  }

  #ruleNotes(): ConstructorParameters<typeof Rules>[1] {
    return {
      read: () => this.store.state.ruleNotes,
      write: (notes: RuleNotes) => this.store.change({ ruleNotes: { ...notes } }),
    };
  }

  #makeProjects(link: () => EngineLink): Projects {
    const announce = (id: string): void => {
      const session = this.sessions.find(id);
      if (session !== undefined) this.sessions.announce(session);
    };
    return new Projects({ hub: this.hub, store: this.store, link, now: this.now, warn: this.warn, announce });
  }

  #makeSchedules(): Schedules {
    return new Schedules({
      ...{ store: this.store, now: this.now, warn: this.warn },
      start: (schedule) => runSchedule(this, schedule),
      isRunning: (id) => this.sessions.find(id)?.thread.status.type === "active",
      changed: () => this.hub.emit("schedules_changed", null, {}),
    });
  }

  #makePush({ folder, pushHosts = [] }: ManagerOptions): Push {
    const { store, access, now, warn } = this;
    return new Push({ store, access, folder, hosts: pushHosts, bootId: this.hub.bootId, now, warn });
  }

  #makeCounts(): ChangeCounts {
    return new ChangeCounts({
      diff: async (session) => (await readDiff(this.link, session, { scope: "session" })).diff,
      read: () => this.store.state.changes,
      write: (changes) => this.store.noteOften({ changes }),
      changed: (session) => this.sessions.announce(session),
      warn: (message, fields) => this.warn(message, fields),
    });
  }

  async start(): Promise<void> {
    await this.link.startOrFail();
    this.schedules.start();
  }

  close(): void {
    clearInterval(this.#timer);
    this.schedules.close();
    this.#merge.flush();
    this.requests.close();
    this.store.close();
    this.link.stop();
  }

  /** Sends a warning to all listeners, in the same form as the engine's own warnings. */
  tell(message: string): void {
    this.hub.emit("notification", null, { method: "warning", params: { message, threadId: null } });
  }

  /** Deletes a session, unless the engine refuses: the engine ends its turn, pending requests end here, and a tombstone remains. */
  async delete(sessionId: string, by: Actor): Promise<string | null> {
    await this.sessions.require(sessionId);
    const title = this.sessions.titleOf(sessionId);
    this.audit.write({ type: "delete", by, threadId: sessionId, summary: title ?? sessionId });
    await this.link.call("thread/delete", { threadId: sessionId });
    this.recordDeletion(sessionId, title);
    return title;
  }

  /** Stores a tombstone, ends the pending requests and announces the deletion. */
  recordDeletion(sessionId: string, title: string | null): void {
    if (this.sessions.isDeleted(sessionId)) return;
    const deletedAt = new Date(this.now()).toISOString();
    const { state } = this.store;
    const without = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
      Object.fromEntries(Object.entries(map).filter(([id]) => id !== sessionId));
    this.requests.expire(sessionId, null, "The session was deleted.");
    this.messages.drop(sessionId);
    this.store.note({
      tombstones: [...state.tombstones, { sessionId, title, deletedAt }],
      assignments: without(state.assignments),
      titles: without(state.titles),
      controls: without(state.controls),
      side: without(state.side),
      settings: without(state.settings),
      tools: without(state.tools),
      pullRequests: without(state.pullRequests),
      snoozed: without(state.snoozed),
      changes: without(state.changes),
    });
    this.decisions.forget(sessionId);
    dropWorktree(this, sessionId).catch((error: unknown) => this.warn("worktree of a deleted session", { error: errorMessage(error) }));
    this.sessions.forget(sessionId);
    this.hub.emit("session_deleted", sessionId, { status: "deleted", sessionId, title, message: "This session was deleted.", deletedAt });
  }

  #receive(message: ServerNotification): void {
    if (this.terminals.receive(message) || this.#merge.take(message)) return;
    this.#merge.flush();
    this.#publish(message);
  }

  #publish(message: ServerNotification): void {
    const { method, params } = message;
    const threadId = this.sessions.receive(message);
    emitAliases(this.hub, message, threadId);
    this.#follow(message);
    this.hub.emit("notification", threadId, { method, params });
    this.hub.passThrough(passThroughName(method, "notification"), threadId, () => this.#signal("notification", method, params));
  }

  /** The manager's own reactions to an event of the engine. */
  #follow(message: ServerNotification): void {
    this.projects.receive(message);
    switch (message.method) {
      case "serverRequest/resolved": {
        const { threadId, requestId, answeredBy } = message.params;
        return this.requests.resolvedByEngine(threadId, requestId, answeredBy ?? undefined);
      }
      case "item/completed": {
        const { threadId, item } = message.params;
        if (item.type === "dynamicToolCall") this.requests.itemCompleted(threadId, item.id);
        return;
      }
      case "turn/completed": {
        const { threadId, turn } = message.params;
        this.requests.expire(threadId, turn.id, "The turn has ended.");
        this.#countChanges(threadId, turn.id);
        return this.#notifyEnd(threadId, turn);
      }
      case "thread/queue/changed":
        return this.messages.queueChanged(message.params.threadId);
      case "thread/status/changed":
        // Another client has loaded the thread and a turn is running: subscribe to its notifications and requests.
        if (message.params.status.type === "active") this.#attach(message.params.threadId);
        return;
      case "thread/started":
        return this.#attach(message.params.thread.id);
      case "thread/deleted":
        return this.recordDeletion(message.params.threadId, this.sessions.titleOf(message.params.threadId));
    }
  }

  /** Of sessions, not of the agents that they start; a person who has stopped a turn knows. */
  #notifyEnd(threadId: string, { status, error }: Turn): void {
    if (status === "interrupted" || this.sessions.rootOf(threadId) !== threadId || this.sessions.isSystemOwned(threadId)) return;
    const failed = status === "failed" ? (error?.message ?? "no reason was given") : null;
    this.push.ended({ sessionId: threadId, title: this.sessions.titleOf(threadId), error: failed });
  }

  /** Only after turns that can have changed a file. */
  #countChanges(threadId: string, turnId: string): void {
    const session = this.sessions.find(threadId);
    const items = session?.view.turns.find((turn) => turn.id === turnId)?.items ?? [];
    if (session !== undefined && items.some(({ type }) => type === "fileChange" || type === "commandExecution"))
      this.#counts.count(session);
  }

  #attach(threadId: string): void {
    if (this.sessions.find(threadId)?.attached === true || this.sessions.isDeleted(threadId)) return;
    void this.sessions.attach(threadId).catch(() => {});
  }

  #signal(
    signalType: "notification" | "request",
    method: string,
    params: Readonly<Record<string, unknown>>,
    requestId?: string,
  ): PassThroughEvent["payload"] {
    const threadId = threadOf(params);
    const session = threadId === null ? undefined : this.sessions.find(threadId);
    return {
      source: "app_server",
      signalType,
      eventType: passThroughName(method, signalType),
      method,
      receivedAt: new Date(this.now()).toISOString(),
      context: { threadId, turnId: typeof params["turnId"] === "string" ? params["turnId"] : null },
      params,
      session:
        session === undefined
          ? null
          : { id: session.id, title: this.sessions.titleOf(session.id), projectId: this.store.state.assignments[session.id] ?? null },
      ...(requestId === undefined ? {} : { requestId }),
    };
  }

  /** After every handshake: joins the running threads, which also repeats their pending requests. */
  async #joinRunning(): Promise<void> {
    await this.projects.join().catch((error: unknown) => this.warn("the projects could not be read", { error: errorMessage(error) }));
    const { data } = await this.link.call("thread/loaded/list", {}).catch(() => ({ data: [] as string[] }));
    const waiting = this.store.state.pending.map((p) => p.request.threadId);
    const known = this.sessions
      .all()
      .filter((s) => s.attached)
      .map((s) => s.id);
    for (const id of new Set([...data, ...(this.engine.remote ? waiting : []), ...known]))
      if (!this.sessions.isDeleted(id)) await this.sessions.attach(id).catch(() => {});
    // Requests of joined threads arrive right after the responses that were just awaited; over a socket they may be in another packet.
    if (this.engine.remote) setTimeout(() => this.#forgetOld(), rejoinMs).unref();
    else setImmediate(() => setImmediate(() => this.#forgetOld()));
  }

  #forgetOld(): void {
    if (!this.link.running) return;
    try {
      this.requests.forgetOld();
    } catch (error) {
      this.warn("what waited before could not be written off", { error: errorMessage(error) });
    }
  }

  #linkState(state: LinkState): void {
    if (state.kind === "running") {
      this.#isUp = true;
      return this.hub.emit("engine_state", null, { running: true, reason: null });
    }
    if (state.kind !== "lost") return;
    if (!this.#isUp) return this.warn("engine not reached", { error: state.reason });
    this.#isUp = false;
    this.terminals.engineLost();
    this.#merge.flush();
    this.requests.engineLost(this.engine.remote);
    this.sessions.engineLost("failed");
    this.hub.emit("engine_state", null, { running: false, reason: state.reason });
  }

  #changed(threadId: string): void {
    for (const id of new Set([threadId, this.sessions.rootOf(threadId)])) {
      const session = this.sessions.find(id);
      if (session !== undefined) this.sessions.announce(session);
    }
  }

  async #cleanUp(): Promise<void> {
    try {
      const watched = this.watched();
      await this.sessions.rest(restAfterMs, (id) => watched.has(id));
      await this.rules.sweep();
      this.shares.sweep();
      this.previews?.sweep();
    } catch (error) {
      this.warn("housekeeping", { error: errorMessage(error) });
    }
  }
}

const threadOf = (params: Readonly<Record<string, unknown>>): string | null => {
  if (typeof params["threadId"] === "string") return params["threadId"];
  return isRecord(params["thread"]) && typeof params["thread"]["id"] === "string" ? params["thread"]["id"] : null;
};
