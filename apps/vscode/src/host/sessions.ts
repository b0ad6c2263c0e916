/** What is known of each session: kept up from the server's notifications, read where it must be. Serves the panel and the status bar. */
import { RpcError } from "../../../../src/client/client.ts";
import { isRecord } from "../../../../src/lib/is-record.ts";
import type { ServerNotification } from "../../../../src/protocol/methods.ts";
import type { AskForApproval } from "../../../../src/protocol/policy.ts";
import type { Thread } from "../../../../src/protocol/thread.ts";
import type { Turn } from "../../../../src/protocol/turn.ts";
import { type Controls, controlsFrom, type EngineSettings } from "../../../../src/sessions/controls.ts";
import type { EngineLink } from "../../../../src/sessions/link.ts";
import { isUnknownThread } from "../../../../src/sessions/refusals.ts";
import { emptyView, foldNotification, type ThreadView, type TurnView } from "../../../../src/sessions/thread-view.ts";
import { Refused } from "../../../web/src/connection/connection.ts";
import type { ThreadPage } from "../../../web/src/state/fold.ts";
import type { QueuedMessage, SessionSummary } from "../../../web/src/state/model.ts";
import { editorControls } from "./controls.ts";

export interface Session {
  readonly id: string;
  thread: Thread;
  archived: boolean;
  /** Whether our connection hears this thread. */
  attached: boolean;
  settings: EngineSettings | undefined;
  /** What a person chose here and the next turn will carry. */
  chosen: Controls | undefined;
  /** What was heard since we joined: the running turn in full. */
  live: ThreadView;
  activeTurnId: string | null;
  lastTurnStatus: string | null;
  queue: readonly QueuedMessage[];
  /** The last summary that was sent out, to send only what is new. */
  told: string;
}

export interface SessionPorts {
  readonly link: EngineLink;
  pendingCount(threadId: string): number;
  changed(summary: SessionSummary): void;
  /** The folders whose sessions are listed; none means all. */
  folders(): readonly string[];
  /** What a person chose for a session, kept over restarts. */
  chosen(id: string): Controls | undefined;
  choose(id: string, controls: Controls): void;
  now(): number;
}

type Params = Readonly<Record<string, unknown>>;
type Opened = {
  readonly thread: Thread;
  readonly model: string;
  readonly reasoningEffort?: string | null | undefined;
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: EngineSettings["sandbox"];
};

/** Turns that ended are on the server's disk; of those heard live only the last ones are kept. */
const keptLive = 3;
const pageSize = 50;

export class Sessions {
  readonly #ports: SessionPorts;
  readonly #known = new Map<string, Session>();
  readonly #attaching = new Map<string, Promise<Session>>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  find(id: string): Session | undefined {
    return this.#known.get(id);
  }
  attached(): readonly string[] {
    return [...this.#known.values()].filter((session) => session.attached).map((session) => session.id);
  }
  working(): number {
    return [...this.#known.values()].filter((session) => session.activeTurnId !== null).length;
  }
  titleOf(id: string): string | null {
    const session = this.#known.get(id);
    return session === undefined ? null : title(session.thread);
  }
  rootOf(id: string): string {
    const seen = new Set<string>();
    let at = id;
    for (;;) {
      const parent = this.#known.get(at)?.thread.parentThreadId;
      if (parent == null || seen.has(parent)) return at;
      seen.add(at);
      at = parent;
    }
  }

  async list(query: {
    archived?: boolean;
    cursor?: string;
    search?: string;
  }): Promise<{ sessions: SessionSummary[]; nextCursor: string | null }> {
    const archived = query.archived === true;
    const folders = this.#ports.folders();
    const page = await this.#ports.link.call("thread/list", {
      archived,
      limit: 100,
      sortKey: "updated_at",
      sourceKinds: ["cli", "vscode", "exec", "appServer", "unknown"],
      ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
      ...(folders.length === 0 ? {} : { cwd: [...folders] }),
      ...(query.search === undefined || query.search === "" ? {} : { searchTerm: query.search }),
    });
    const listed = new Set(page.data.map((thread) => thread.id));
    // A session without a message is on no disk yet; it belongs to the first page.
    const fresh =
      archived || query.cursor !== undefined ? [] : [...this.#known.values()].filter((s) => s.attached && !s.archived && !listed.has(s.id));
    const sessions = [...fresh, ...page.data.map((thread) => this.learn(thread, archived))];
    return { sessions: sessions.map((session) => this.summary(session)), nextCursor: page.nextCursor ?? null };
  }

  /** The session, joined: from now on everything that happens on it is heard. */
  attach(id: string): Promise<Session> {
    const known = this.#known.get(id);
    if (known?.attached === true) return Promise.resolve(known);
    const underway = this.#attaching.get(id) ?? this.#resume(id).finally(() => this.#attaching.delete(id));
    this.#attaching.set(id, underway);
    return underway;
  }

  async #resume(id: string): Promise<Session> {
    try {
      const opened = await this.#ports.link.call("thread/resume", { threadId: id, excludeTurns: true });
      if (opened.thread.status.type !== "active") return this.opened(opened);
      // A turn that was running before we came: what the server has of it so far is where its later events go on.
      const { data } = await this.#turns(id, null, 1);
      return this.opened({ ...opened, thread: { ...opened.thread, turns: data } });
    } catch (error) {
      if (isUnknownThread(error)) throw new Refused(404, "not_found", "There is no such session.", null);
      throw error;
    }
  }

  /** Takes the answer to start, resume and fork. */
  opened(opened: Opened): Session {
    const session = this.learn(opened.thread);
    session.attached = true;
    session.settings = {
      model: opened.model,
      effort: opened.reasoningEffort ?? null,
      approvalPolicy: opened.approvalPolicy,
      sandbox: opened.sandbox,
    };
    const running = opened.thread.turns.findLast((turn) => turn.status === "inProgress");
    session.activeTurnId = running?.id ?? null;
    session.lastTurnStatus = opened.thread.turns.at(-1)?.status ?? session.lastTurnStatus;
    if (running !== undefined && !session.live.turns.some((turn) => turn.id === running.id))
      session.live = foldNotification(session.live, { method: "turn/started", params: { threadId: session.id, turn: running } });
    this.tell(session);
    return session;
  }

  learn(thread: Thread, archived?: boolean): Session {
    const bare: Thread = { ...thread, turns: [] };
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
      chosen: this.#ports.chosen(thread.id),
      live: emptyView,
      activeTurnId: null,
      lastTurnStatus: null,
      queue: [],
      told: "",
    };
    this.#known.set(thread.id, session);
    return session;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** The server is gone and every turn with it; the threads are joined again when it is back. */
  lost(): void {
    for (const session of this.#known.values()) {
      session.attached = false;
      if (session.activeTurnId !== null) session.lastTurnStatus = "interrupted";
      session.activeTurnId = null;
      session.live = emptyView;
      this.tell(session);
    }
  }

  async page(id: string, cursor: string | null, seq: () => number): Promise<ThreadPage & { readonly session: SessionSummary }> {
    const session = await this.attach(id).catch((error: unknown) => this.#readOnly(id, error));
    const { data, nextCursor } = await this.#turns(id, cursor);
    const live = session.live.turns.at(-1);
    const planned = session.live.turns.findLast((turn) => turn.plan !== null);
    return {
      sessionId: id,
      turns: cursor === null ? withLive(data, live) : data,
      olderCursor: nextCursor,
      plan: planned?.plan == null ? null : { turnId: planned.id, explanation: planned.plan.explanation, steps: planned.plan.steps },
      diffs: Object.fromEntries(session.live.turns.flatMap((turn) => (turn.diff === null ? [] : [[turn.id, turn.diff]]))),
      tokenUsage: session.live.tokenUsage,
      queue: session.queue,
      seq: seq(),
      session: this.summary(session),
    };
  }

  /** An archived session cannot be joined but can be read. */
  async #readOnly(id: string, error: unknown): Promise<Session> {
    try {
      return this.learn((await this.#ports.link.call("thread/read", { threadId: id })).thread);
    } catch {
      throw error;
    }
  }

  async #turns(threadId: string, cursor: string | null, limit = pageSize): Promise<{ data: Turn[]; nextCursor: string | null }> {
    const { link } = this.#ports;
    try {
      const page = await link.call("thread/turns/list", { threadId, cursor, limit, itemsView: "full", sortDirection: "desc" });
      return { data: page.data, nextCursor: page.nextCursor ?? null };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      // A session without a message has no turns yet, and an older server reads a thread as a whole.
      const read = await link.call("thread/read", { threadId, includeTurns: true }).catch(() => undefined);
      return { data: (read?.thread.turns ?? []).toReversed(), nextCursor: null };
    }
  }

  /** Folds a notification in. Returns the thread it is about. */
  hear(method: string, params: Params): string | null {
    if (method === "thread/started" && isRecord(params["thread"]) && typeof params["thread"]["id"] === "string") {
      const { id } = params["thread"];
      // Checked by the server against the protocol's tables; a field that is missing reads as undefined.
      if (!this.#known.has(id)) this.tell(this.learn(params["thread"] as unknown as Thread));
      return id;
    }
    const threadId = typeof params["threadId"] === "string" ? params["threadId"] : null;
    const session = threadId === null ? undefined : this.#known.get(threadId);
    if (session !== undefined) this.#hearOf(session, method, params);
    return threadId;
  }

  #hearOf(session: Session, method: string, params: Params): void {
    session.live = trimmed(foldNotification(session.live, { method, params } as ServerNotification));
    const turn = isRecord(params["turn"]) ? params["turn"] : {};
    switch (method) {
      case "turn/started":
        session.activeTurnId = String(turn["id"]);
        break;
      case "turn/completed":
        if (session.activeTurnId === turn["id"]) session.activeTurnId = null;
        session.lastTurnStatus = String(turn["status"]);
        session.thread = { ...session.thread, updatedAt: Math.max(Math.floor(this.#ports.now() / 1000), session.thread.updatedAt) };
        break;
      case "item/completed":
        if (session.thread.preview !== "" || !this.#previewed(session, params["item"])) return;
        break;
      case "thread/status/changed":
        session.thread = { ...session.thread, status: params["status"] as Thread["status"] };
        if (session.thread.status.type === "notLoaded") session.attached = false;
        break;
      case "thread/closed":
        session.attached = false;
        break;
      case "thread/name/updated":
        session.thread = { ...session.thread, name: typeof params["threadName"] === "string" ? params["threadName"] : null };
        break;
      case "thread/archived":
      case "thread/unarchived":
        session.archived = method === "thread/archived";
        if (session.archived) session.attached = false;
        break;
      default:
        return;
    }
    this.tell(session);
  }

  #previewed(session: Session, item: unknown): boolean {
    if (!isRecord(item) || item["type"] !== "userMessage" || !Array.isArray(item["content"])) return false;
    const text = item["content"].find((part) => isRecord(part) && part["type"] === "text");
    if (!isRecord(text) || typeof text["text"] !== "string") return false;
    session.thread = { ...session.thread, preview: text["text"] };
    return true;
  }

  /** Sends a session's summary out where it differs from the last one. */
  tell(session: Session): void {
    const summary = this.summary(session);
    const told = JSON.stringify(summary);
    if (told === session.told) return;
    session.told = told;
    this.#ports.changed(summary);
  }

  /** Takes a person's choice for this session and the turns to come. */
  choose(session: Session, controls: Controls): void {
    session.chosen = controls;
    this.#ports.choose(session.id, controls);
  }
  controls(session: Session): Controls {
    return session.chosen ?? controlsFrom(session.settings, editorControls);
  }

  summary(session: Session): SessionSummary {
    const { thread, settings } = session;
    const pendingCount = this.#ports.pendingCount(session.id);
    return {
      sessionId: session.id,
      title: title(thread),
      materialized: thread.preview !== "" || session.lastTurnStatus !== null,
      modelProvider: thread.modelProvider,
      approvalPolicy: settings?.approvalPolicy ?? null,
      sessionControls: settings === undefined ? null : { ...this.controls(session), settings: {} },
      createdAt: thread.createdAt,
      updatedAt: thread.updatedAt,
      cwd: thread.cwd,
      source: typeof thread.source === "string" ? thread.source : "subAgent",
      projectId: null,
      state: stateOf(session, pendingCount),
      pendingCount,
      archived: session.archived,
      systemOwned: thread.threadSource === "system" || typeof thread.source !== "string",
      preview: thread.preview.slice(0, 300),
      model: settings?.model ?? thread.model ?? null,
      branch: thread.gitInfo?.branch ?? null,
      activeTurnId: session.activeTurnId,
      lastTurnStatus: session.lastTurnStatus,
      parentSessionId: thread.parentThreadId ?? null,
      forkedFromId: thread.forkedFromId ?? null,
      queued: session.queue.length,
    };
  }
}

function stateOf(session: Session, pending: number): SessionSummary["state"] {
  if (session.activeTurnId !== null) return pending > 0 ? "waiting" : "working";
  if (session.thread.status.type === "systemError" || session.lastTurnStatus === "failed") return "failed";
  return session.attached ? "idle" : "notLoaded";
}

function title(thread: Thread): string {
  if (thread.name != null && thread.name !== "") return thread.name;
  const line = thread.preview.trim().split("\n")[0]?.trim() ?? "";
  return line === "" ? "New session" : line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

/** The running turn as it was heard stands in for the server's record of it, which holds only finished items. */
function withLive(data: readonly Turn[], live: TurnView | undefined): readonly Turn[] {
  if (live === undefined) return data;
  const heard: Turn = {
    id: live.id,
    status: live.status,
    items: [...live.items],
    error: live.error,
    startedAt: live.startedAt,
    durationMs: live.durationMs,
  };
  const recorded = data.find((turn) => turn.id === live.id);
  if (recorded === undefined) return live.status === "inProgress" ? [heard, ...data] : data;
  const isFuller = live.status === "inProgress" || recorded.items.length < live.items.length;
  return isFuller ? data.map((turn) => (turn === recorded ? heard : turn)) : data;
}

const trimmed = (view: ThreadView): ThreadView =>
  view.turns.length <= keptLive ? view : { ...view, turns: view.turns.slice(-keptLive), notices: view.notices.slice(-20) };
