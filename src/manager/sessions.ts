/** What the manager knows of each session: kept up from the engine's events, filled in by reading where it must be. */

import { isRecord } from "../lib/is-record.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { AskForApproval } from "../protocol/policy.ts";
import type { Thread, ThreadTokenUsage } from "../protocol/thread.ts";
import type { Turn, TurnPlanStep } from "../protocol/turn.ts";
import { controlsFrom, type EngineSettings } from "../sessions/controls.ts";
import type { EngineLink } from "../sessions/link.ts";
import type { SessionControls, SessionState, SessionSummary } from "../sessions/records.ts";
import { isUnknownThread, isUnsupported } from "../sessions/refusals.ts";
import { type ClientTool, toolSpecs } from "./client-tools.ts";
import type { Hub } from "./hub.ts";
import { LiveTurn } from "./live-turn.ts";
import { failure, Problem } from "./problems.ts";
import type { ManagerStore } from "./store.ts";
import { rowOf } from "./transcript.ts";

export interface Session {
  readonly id: string;
  thread: Thread;
  archived: boolean;
  /** Whether our connection hears this thread. */
  attached: boolean;
  settings: EngineSettings | undefined;
  live: LiveTurn | undefined;
  activeTurnId: string | null;
  lastTurnStatus: string | null;
  tokenUsage: ThreadTokenUsage | null;
  plan: { readonly turnId: string; readonly explanation: string | null; readonly plan: readonly TurnPlanStep[] } | null;
  readonly diffs: Map<string, string>;
  usedAt: number;
  /** The last summary that was sent out, to send only what is new. */
  told: string;
}

export interface SessionPorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly link: () => EngineLink;
  pendingCount(threadId: string): number;
  queued(threadId: string): number;
  now(): number;
}

type Params = Readonly<Record<string, unknown>>;

export class Sessions {
  readonly #ports: SessionPorts;
  readonly #known = new Map<string, Session>();
  readonly #attaching = new Map<string, Promise<Session>>();
  /** The tombstones by id, made again when there are others. */
  #buried: { readonly of: unknown; readonly ids: ReadonlySet<string> } = { of: undefined, ids: new Set() };

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  find(id: string): Session | undefined {
    return this.#known.get(id);
  }
  all(): readonly Session[] {
    return [...this.#known.values()];
  }

  isDeleted(id: string): boolean {
    const { tombstones } = this.#ports.store.state;
    if (this.#buried.of !== tombstones) this.#buried = { of: tombstones, ids: new Set(tombstones.map((t) => t.sessionId)) };
    return this.#buried.ids.has(id);
  }
  isSystemOwned(id: string): boolean {
    const session = this.#known.get(id);
    return this.#ports.store.state.systemOwned.includes(id) || (session !== undefined && systemOwned(session.thread));
  }
  rootOf(id: string): string {
    const seen = new Set<string>();
    let at = id;
    for (
      let parent = this.#known.get(at)?.thread.parentThreadId;
      parent && !seen.has(parent);
      parent = this.#known.get(at)?.thread.parentThreadId
    ) {
      seen.add(at);
      at = parent;
    }
    return at;
  }
  titleOf(id: string): string | null {
    const session = this.#known.get(id);
    return session === undefined ? (this.#ports.store.state.titles[id] ?? null) : title(session, this.#ports.store);
  }

  /** 410 for a deleted session, 403 for one of the system's own. */
  gate(id: string, system: "refuse" | "allow" = "refuse"): void {
    const gone = this.#ports.store.state.tombstones.find((t) => t.sessionId === id);
    if (gone !== undefined)
      throw new Problem(410, {
        status: "deleted",
        sessionId: id,
        ...(gone.title === null ? {} : { title: gone.title }),
        message: "This session was deleted.",
        deletedAt: gone.deletedAt,
      });
    if (system === "refuse" && this.isSystemOwned(id))
      throw new Problem(403, {
        status: "error",
        code: "system_session",
        sessionId: id,
        message: "This session belongs to the system and cannot be driven by people.",
      });
  }

  /** The session, read from the engine if need be; 404 when there is none. */
  async require(id: string): Promise<Session> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    try {
      const { thread } = await this.#ports.link().call("thread/read", { threadId: id, includeTurns: false });
      return this.learn(thread);
    } catch (error) {
      if (isUnknownThread(error)) throw notFound(id);
      throw error;
    }
  }

  /** Takes what the engine says of a thread. */
  learn(thread: Thread, archived?: boolean): Session {
    const { turns: _, ...head } = thread;
    const bare: Thread = { ...head, turns: [] };
    const known = this.#known.get(thread.id);
    if (known !== undefined) {
      known.thread = bare;
      if (archived !== undefined) known.archived = archived;
      return known;
    }
    const session: Session = {
      id: thread.id,
      thread: bare,
      archived: archived ?? false,
      attached: false,
      settings: undefined,
      live: undefined,
      activeTurnId: null,
      lastTurnStatus: null,
      tokenUsage: null,
      plan: null,
      diffs: new Map(),
      usedAt: this.#ports.now(),
      told: "",
    };
    this.#known.set(thread.id, session);
    return session;
  }

  /** Makes our connection hear the thread: it is loaded where it was not, and joined where it runs. */
  attach(id: string): Promise<Session> {
    const known = this.#known.get(id);
    if (known !== undefined) known.usedAt = this.#ports.now();
    if (known?.attached === true) return Promise.resolve(known);
    const underway = this.#attaching.get(id) ?? this.#resume(id).finally(() => this.#attaching.delete(id));
    this.#attaching.set(id, underway);
    return underway;
  }

  /** Takes a client's tools in place of those the session has, at once and for every later resume. */
  async offerTools(id: string, tools: readonly ClientTool[]): Promise<Session> {
    const { store } = this.#ports;
    await this.#attaching.get(id)?.catch(() => {});
    store.change({ tools: { ...store.state.tools, [id]: [...tools] } });
    const known = this.#known.get(id);
    if (known !== undefined) known.attached = false;
    return await this.attach(id);
  }

  async #resume(id: string): Promise<Session> {
    try {
      const tools = this.#ports.store.state.tools[id];
      const opened = await this.#ports.link().call("thread/resume", {
        threadId: id,
        excludeTurns: true,
        ...(tools === undefined ? {} : { dynamicTools: toolSpecs(tools) }),
      });
      const session = this.opened(opened);
      if (opened.thread.status.type === "active" && session.live === undefined) await this.#joinTurn(session);
      this.tell(session);
      return session;
    } catch (error) {
      if (isUnknownThread(error)) throw notFound(id);
      throw error;
    }
  }

  /** A turn that was running before we came: what the engine has of it so far is where its later events go on. */
  async #joinTurn(session: Session): Promise<void> {
    const { data } = await readTurns(this.#ports.link(), session.id, null, 1);
    const [turn] = data;
    if (turn?.status !== "inProgress" || session.live !== undefined) return;
    session.live = new LiveTurn(turn);
    session.activeTurnId = turn.id;
  }

  /** Takes the answer to start, resume and fork. */
  opened(opened: {
    thread: Thread;
    model: string;
    reasoningEffort?: string | null | undefined;
    approvalPolicy: AskForApproval;
    sandbox: EngineSettings["sandbox"];
  }): Session {
    const session = this.learn(opened.thread);
    session.attached = true;
    session.usedAt = this.#ports.now();
    session.settings = {
      model: opened.model,
      effort: opened.reasoningEffort ?? null,
      approvalPolicy: opened.approvalPolicy,
      sandbox: opened.sandbox,
    };
    const running = opened.thread.turns.findLast((t) => t.status === "inProgress");
    if (running !== undefined && session.live?.id !== running.id) session.live = new LiveTurn(running);
    if (running !== undefined) session.activeTurnId = running.id;
    return session;
  }

  /** Lets idle threads go that nobody has used for a while; the engine may then unload them. */
  async rest(idleMs: number, isWatched: (id: string) => boolean): Promise<void> {
    for (const session of this.#known.values()) {
      const idle = session.attached && session.activeTurnId === null && this.#ports.now() - session.usedAt > idleMs;
      if (!idle || isWatched(session.id) || this.#ports.pendingCount(session.id) > 0) continue;
      session.attached = false;
      await this.#ports
        .link()
        .call("thread/unsubscribe", { threadId: session.id })
        .catch(() => {});
    }
  }

  engineLost(): void {
    for (const session of this.#known.values()) {
      session.attached = false;
      if (session.activeTurnId === null) continue;
      session.activeTurnId = null;
      session.lastTurnStatus = "failed";
      this.tell(session);
    }
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Folds an engine notification in. Returns the thread it is about. */
  hear(method: string, params: Params): string | null {
    if (method === "thread/started" && isRecord(params["thread"])) {
      const thread = params["thread"] as unknown as Thread;
      this.tell(this.learn(thread));
      return thread.id;
    }
    const threadId = typeof params["threadId"] === "string" ? params["threadId"] : null;
    const session = threadId === null ? undefined : this.#known.get(threadId);
    if (session !== undefined) this.#hearOf(session, method, params);
    return threadId;
  }

  #hearOf(session: Session, method: string, params: Params): void {
    const { hub } = this.#ports;
    session.usedAt = this.#ports.now();
    if (method.startsWith("item/")) return this.#hearItem(session, method, params);
    switch (method) {
      case "turn/started":
      case "turn/completed":
        this.#hearTurn(session, method, params["turn"] as Turn);
        return;
      case "turn/plan/updated": {
        const plan = params as unknown as { turnId: string; explanation?: string | null; plan: TurnPlanStep[] };
        session.plan = { turnId: plan.turnId, explanation: plan.explanation ?? null, plan: plan.plan };
        return hub.emit("turn_plan_updated", session.id, {
          threadId: session.id,
          turnId: plan.turnId,
          explanation: plan.explanation ?? null,
          plan: plan.plan,
        });
      }
      case "turn/diff/updated": {
        const diff = params as unknown as { turnId: string; diff: string };
        keepDiff(session.diffs, diff.turnId, diff.diff);
        return hub.emit("turn_diff_updated", session.id, { threadId: session.id, turnId: diff.turnId, diff: diff.diff });
      }
      case "thread/tokenUsage/updated": {
        const usage = params as unknown as { turnId: string; tokenUsage: ThreadTokenUsage };
        session.tokenUsage = usage.tokenUsage;
        return hub.emit("thread_token_usage_updated", session.id, {
          threadId: session.id,
          turnId: usage.turnId,
          tokenUsage: usage.tokenUsage,
        });
      }
      default:
        this.#hearThread(session, method, params);
    }
  }

  #hearItem(session: Session, method: string, params: Params): void {
    if (params["turnId"] === session.live?.id) session.live?.hear(method, params);
    if (method !== "item/started" && method !== "item/completed") return;
    const item = params["item"] as ThreadItem;
    const turnId = String(params["turnId"]);
    if (item.type === "userMessage" && session.thread.preview === "") {
      const text = item.content.find((p) => p.type === "text");
      if (text?.type === "text") session.thread = { ...session.thread, preview: text.text };
      this.tell(session);
    }
    this.#ports.hub.emit("transcript_updated", session.id, { turnId, entry: rowOf(item, { id: turnId, status: "inProgress" }) });
  }

  #hearTurn(session: Session, method: string, turn: Turn): void {
    const now = Math.floor(this.#ports.now() / 1000);
    session.thread = { ...session.thread, updatedAt: Math.max(now, session.thread.updatedAt) };
    if (method === "turn/started") {
      session.live = new LiveTurn(turn);
      session.activeTurnId = turn.id;
    } else {
      if (session.live?.id === turn.id) session.live.end(turn);
      if (session.activeTurnId === turn.id || session.activeTurnId === null) session.activeTurnId = null;
      session.lastTurnStatus = turn.status;
    }
    this.tell(session);
  }

  #hearThread(session: Session, method: string, params: Params): void {
    switch (method) {
      case "thread/status/changed":
        session.thread = { ...session.thread, status: params["status"] as Thread["status"] };
        if (session.thread.status.type !== "active") session.activeTurnId = null;
        if (session.thread.status.type === "notLoaded") session.attached = false;
        break;
      case "thread/closed":
        session.attached = false;
        session.activeTurnId = null;
        break;
      case "thread/name/updated":
        session.thread = { ...session.thread, name: typeof params["threadName"] === "string" ? params["threadName"] : null };
        break;
      case "thread/archived":
      case "thread/unarchived":
        session.archived = method === "thread/archived";
        if (session.archived) session.attached = false;
        break;
      case "thread/settings/updated": {
        const { threadSettings: s } = params as unknown as {
          threadSettings: {
            model: string;
            effort?: string | null;
            approvalPolicy: AskForApproval;
            sandboxPolicy: EngineSettings["sandbox"];
          };
        };
        session.settings = { model: s.model, effort: s.effort ?? null, approvalPolicy: s.approvalPolicy, sandbox: s.sandboxPolicy };
        break;
      }
      default:
        return;
    }
    this.tell(session);
  }

  /** Sends a session's summary out where it differs from the last one. */
  tell(session: Session): void {
    const summary = this.summary(session);
    const told = JSON.stringify(summary);
    if (told === session.told) return;
    session.told = told;
    this.#ports.hub.emit("session_upserted", session.id, summary);
  }

  summary(session: Session): SessionSummary {
    const { thread, settings } = session;
    const { store } = this.#ports;
    const pendingCount = this.#ports.pendingCount(session.id);
    return {
      sessionId: session.id,
      title: title(session, store),
      materialized: thread.preview !== "" || session.lastTurnStatus !== null,
      modelProvider: thread.modelProvider,
      approvalPolicy: settings?.approvalPolicy ?? null,
      sessionControls: this.controls(session),
      createdAt: thread.createdAt,
      updatedAt: thread.updatedAt,
      cwd: thread.cwd,
      source: sourceWord(thread.source),
      projectId: store.state.assignments[session.id] ?? null,
      state: stateOf(session, pendingCount),
      pendingCount,
      archived: session.archived,
      systemOwned: this.isSystemOwned(session.id),
      preview: thread.preview.slice(0, 300),
      model: settings?.model ?? thread.model ?? null,
      branch: thread.gitInfo?.branch ?? null,
      activeTurnId: session.activeTurnId,
      lastTurnStatus: session.lastTurnStatus,
      parentSessionId: thread.parentThreadId ?? null,
      forkedFromId: thread.forkedFromId ?? null,
      queued: this.#ports.queued(session.id),
    };
  }

  controls(session: Session): SessionControls {
    const { store } = this.#ports;
    return store.state.controls[session.id] ?? controlsFrom(session.settings, store.state.defaults);
  }
}

/** A turn's diff can be large and changes often; those of the last turns are enough. */
function keepDiff(diffs: Map<string, string>, turnId: string, diff: string): void {
  diffs.delete(turnId);
  diffs.set(turnId, diff.length > 4_000_000 ? diff.slice(0, 4_000_000) : diff);
  const [oldest] = diffs.keys();
  if (diffs.size > 100 && oldest !== undefined) diffs.delete(oldest);
}

function stateOf(session: Session, pending: number): SessionState {
  const { status } = session.thread;
  if (status.type === "systemError") return "failed";
  const active = session.activeTurnId !== null || status.type === "active";
  if (active) return pending > 0 || (status.type === "active" && status.activeFlags.length > 0) ? "waiting" : "working";
  if (session.lastTurnStatus === "failed") return "failed";
  return status.type === "notLoaded" ? "notLoaded" : "idle";
}

function title(session: Session, store: ManagerStore): string {
  const own = store.state.titles[session.id] ?? session.thread.name;
  if (own) return own;
  const line = session.thread.preview.trim().split("\n")[0]?.trim() ?? "";
  return line === "" ? "New session" : line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

const sourceWord = (source: Thread["source"]): string =>
  typeof source === "string" ? source : "custom" in source ? source.custom : "subAgent";

/** Threads that the engine runs for itself (compaction, memory, review) are no one's to drive; those an agent started belong to its session. */
function systemOwned(thread: Thread): boolean {
  if (thread.threadSource === "system") return true;
  if (typeof thread.source === "string" || !("subAgent" in thread.source)) return false;
  return typeof thread.source.subAgent === "string" ? thread.source.subAgent !== "review" : "other" in thread.source.subAgent;
}

export const notFound = (sessionId: string): Problem =>
  new Problem(404, { status: "not_found", sessionId, message: "There is no such session." });

/** Reads turns, newest first, from any generation of engine. */
export async function readTurns(
  link: EngineLink,
  threadId: string,
  cursor: string | null,
  limit: number,
): Promise<{ data: Turn[]; nextCursor: string | null }> {
  try {
    const page = await link.call("thread/turns/list", { threadId, cursor, limit, itemsView: "full", sortDirection: "desc" });
    return { data: page.data, nextCursor: page.nextCursor ?? null };
  } catch (error) {
    if (isUnsupported(error)) return await readAllTurns(link, threadId);
    // A session without a message has no turns on disk; that is no failure.
    if (isUnknownThread(error) && cursor === null) return { data: [], nextCursor: null };
    throw error;
  }
}

async function readAllTurns(link: EngineLink, threadId: string): Promise<{ data: Turn[]; nextCursor: null }> {
  const { thread } = await link.call("thread/read", { threadId, includeTurns: true });
  return { data: thread.turns.toReversed(), nextCursor: null };
}

export const notMaterialized = (sessionId: string): Problem =>
  failure(409, "not_materialized", "This session has no message yet.", { sessionId });
