/** The state of an engine's sessions: updated from its notifications, and read from the engine if necessary. */
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { ClientRequests, ServerNotification } from "../protocol/methods.ts";
import type { Thread, ThreadReadState } from "../protocol/thread.ts";
import { type ThreadSourceKind, threadSourceKinds } from "../protocol/thread-list.ts";
import type { Turn, TurnPlanStep } from "../protocol/turn.ts";
import type { EngineSettings } from "./controls.ts";
import type { EngineLink } from "./link.ts";
import type { SessionState, SessionSummary } from "./records.ts";
import { isUnknownThread, isUnsupported, UnknownSession } from "./refusals.ts";
import { emptyView, foldNotification, type ThreadView, type TurnView } from "./thread-view.ts";

export interface Session {
  readonly id: string;
  thread: Thread;
  archived: boolean;
  /** What of it was read, for all clients; undefined until the engine has said it. */
  readState: ThreadReadState | undefined;
  /** Whether our connection is subscribed to this thread. */
  attached: boolean;
  settings: EngineSettings | undefined;
  /** The last turns as they were streamed, the running one in full. */
  view: ThreadView;
  activeTurnId: string | null;
  lastTurnStatus: string | null;
  plan: { readonly turnId: string; readonly explanation: string | null; readonly plan: readonly TurnPlanStep[] } | null;
  /** The diffs of the last turns. */
  readonly diffs: Map<string, string>;
  usedAt: number;
  /** The last summary that was announced, to announce only changes. */
  announced: string;
}

export interface SessionPorts {
  link(): EngineLink;
  pendingCount(threadId: string): number;
  queued(threadId: string): number;
  now(): number;
  /** A summary that differs from the last one. */
  changed(summary: SessionSummary): void;
  /** What the owner knows about a session in addition to the engine; its own title takes precedence over the thread's. */
  about(session: Session): Pick<
    SessionSummary,
    "projectId" | "sessionControls" | "systemOwned" | "worktree" | "pullRequest" | "snoozedUntil" | "changes"
  > & {
    readonly title: string | null;
  };
  /** Additional params for resuming a thread. */
  resumeWith?(id: string): Partial<ParamsOf<ClientRequests["thread/resume"]>>;
}

type Opened = Pick<
  ResultOf<ClientRequests["thread/resume"]>,
  "thread" | "model" | "reasoningEffort" | "approvalPolicy" | "activePermissionProfile"
> & {
  readonly sandbox: EngineSettings["sandbox"];
};

/** Sub-agents are listed only if their kinds are named. */
export const everySource: readonly ThreadSourceKind[] = threadSourceKinds;

/** Completed turns are on the engine's disk; only the last streamed ones are kept. */
const keptTurns = 3;

export class EngineSessions {
  readonly #ports: SessionPorts;
  readonly #known = new Map<string, Session>();
  readonly #attaching = new Map<string, Promise<Session>>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  find(id: string): Session | undefined {
    return this.#known.get(id);
  }
  all(): readonly Session[] {
    return [...this.#known.values()];
  }
  attached(): readonly string[] {
    return this.all().flatMap((session) => (session.attached ? [session.id] : []));
  }
  titleOf(id: string): string | null {
    const session = this.#known.get(id);
    return session === undefined ? null : this.#title(session);
  }
  /** The session that a thread belongs to: a sub-agent's thread belongs to the session that started it. */
  rootOf(id: string): string {
    const seen = new Set<string>();
    let at = id;
    for (;;) {
      const parent = this.#known.get(at)?.thread.parentThreadId;
      if (parent == null || parent === "" || seen.has(parent)) return at;
      seen.add(at);
      at = parent;
    }
  }

  /** Returns the session, read from the engine if necessary. */
  async require(id: string): Promise<Session> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    try {
      return this.learn((await this.#ports.link().call("thread/read", { threadId: id, includeTurns: false })).thread);
    } catch (error) {
      throw isUnknownThread(error) ? new UnknownSession(id) : error;
    }
  }

  /** Updates the session from the engine's thread. */
  learn(thread: Thread, archived?: boolean, readState?: ThreadReadState): Session {
    const bare = { ...thread, status: statusOf(thread), turns: [] };
    const known = this.#known.get(thread.id);
    if (known !== undefined) {
      known.thread = bare;
      if (archived !== undefined) known.archived = archived;
      known.readState = readState ?? known.readState;
      return known;
    }
    const session: Session = {
      id: thread.id,
      thread: bare,
      archived: archived ?? false,
      readState,
      attached: false,
      settings: undefined,
      view: emptyView,
      activeTurnId: null,
      lastTurnStatus: null,
      plan: null,
      diffs: new Map(),
      usedAt: this.#ports.now(),
      announced: "",
    };
    this.#known.set(thread.id, session);
    return session;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Subscribes our connection to the thread: loads it if it is not loaded, and joins it if it is running. */
  attach(id: string): Promise<Session> {
    const known = this.#known.get(id);
    if (known !== undefined) known.usedAt = this.#ports.now();
    if (known?.attached === true) return Promise.resolve(known);
    const underway = this.#attaching.get(id) ?? this.#resume(id).finally(() => this.#attaching.delete(id));
    this.#attaching.set(id, underway);
    return underway;
  }

  /** Resumes a thread again, with the current params of `resumeWith`. */
  async attachAgain(id: string): Promise<Session> {
    await this.#attaching.get(id)?.catch(() => {});
    const known = this.#known.get(id);
    if (known !== undefined) known.attached = false;
    return await this.attach(id);
  }

  async #resume(id: string): Promise<Session> {
    const link = this.#ports.link();
    try {
      const opened = await link.call("thread/resume", { threadId: id, excludeTurns: true, ...this.#ports.resumeWith?.(id) });
      const session = this.opened(opened);
      if (session.thread.status.type === "active" && session.activeTurnId === null) await this.#joinTurn(session);
      this.announce(session);
      return session;
    } catch (error) {
      throw isUnknownThread(error) ? new UnknownSession(id) : error;
    }
  }

  /** For a turn that was already running: later events continue from the engine's current record of it. */
  async #joinTurn(session: Session): Promise<void> {
    const { data } = await readTurns(this.#ports.link(), session.id, null, 1);
    const [turn] = data;
    if (turn?.status === "inProgress" && session.activeTurnId === null) this.#running(session, turn);
  }

  /** Processes the response to start, resume and fork. */
  opened(opened: Opened): Session {
    const session = this.learn(opened.thread);
    session.attached = true;
    session.usedAt = this.#ports.now();
    session.settings = {
      model: opened.model,
      effort: opened.reasoningEffort ?? null,
      approvalPolicy: opened.approvalPolicy,
      sandbox: opened.sandbox,
      profile: opened.activePermissionProfile,
    };
    const { turns } = opened.thread;
    session.lastTurnStatus = turns.at(-1)?.status ?? session.lastTurnStatus;
    const running = turns.findLast((turn) => turn.status === "inProgress");
    if (running !== undefined) this.#running(session, running);
    this.announce(session);
    return session;
  }

  #running(session: Session, turn: Turn): void {
    session.activeTurnId = turn.id;
    if (session.view.turns.some(({ id }) => id === turn.id)) return;
    session.view = foldNotification(session.view, { method: "turn/started", params: { threadId: session.id, turn } });
  }

  /** The connection is lost, and with it every turn that we followed; the threads are joined again when the engine is back. */
  engineLost(turnStatus: "failed" | "interrupted"): void {
    for (const session of this.#known.values()) {
      session.attached = false;
      session.view = emptyView;
      if (session.activeTurnId !== null) session.lastTurnStatus = turnStatus;
      session.activeTurnId = null;
      this.announce(session);
    }
  }

  /** Folds in a notification. Returns the thread that it is about. */
  receive(message: ServerNotification): string | null {
    if (message.method === "thread/started") {
      const { thread } = message.params;
      this.announce(this.learn(thread));
      return thread.id;
    }
    const threadId = threadOf(message);
    const session = threadId === null ? undefined : this.#known.get(threadId);
    if (session !== undefined) this.#receiveOf(session, message);
    return threadId;
  }

  #receiveOf(session: Session, message: ServerNotification): void {
    session.usedAt = this.#ports.now();
    session.view = folded(session.view, message);
    switch (message.method) {
      case "item/started":
      case "item/completed":
        if (!takePreview(session, message.params.item)) return;
        break;
      case "turn/started":
        this.#touch(session);
        session.activeTurnId = message.params.turn.id;
        break;
      case "turn/completed":
        this.#touch(session);
        if (session.activeTurnId === message.params.turn.id) session.activeTurnId = null;
        session.lastTurnStatus = message.params.turn.status;
        break;
      case "turn/plan/updated": {
        const { turnId, explanation, plan } = message.params;
        session.plan = { turnId, explanation: explanation ?? null, plan };
        return;
      }
      case "turn/diff/updated":
        return keepDiff(session.diffs, message.params.turnId, message.params.diff);
      default:
        if (!receiveThread(session, message)) return;
    }
    this.announce(session);
  }

  #touch(session: Session): void {
    const now = Math.floor(this.#ports.now() / 1000);
    session.thread = { ...session.thread, updatedAt: Math.max(now, session.thread.updatedAt) };
  }

  /** Announces a session's summary if it differs from the last one. */
  announce(session: Session): void {
    const summary = this.summary(session);
    const announced = JSON.stringify(summary);
    if (announced === session.announced) return;
    session.announced = announced;
    this.#ports.changed(summary);
  }

  summary(session: Session): SessionSummary {
    const { thread, settings } = session;
    const pendingCount = this.#ports.pendingCount(session.id);
    const { projectId, sessionControls, systemOwned, worktree, pullRequest, snoozedUntil, changes } = this.#ports.about(session);
    return {
      sessionId: session.id,
      title: this.#title(session),
      materialized: thread.preview !== "" || session.lastTurnStatus !== null,
      modelProvider: thread.modelProvider,
      approvalPolicy: settings?.approvalPolicy ?? null,
      sessionControls,
      createdAt: thread.createdAt,
      updatedAt: thread.updatedAt,
      cwd: thread.cwd,
      source: sourceName(thread.source),
      projectId,
      state: stateOf(session, pendingCount),
      pendingCount,
      archived: session.archived,
      systemOwned,
      preview: thread.preview.slice(0, 300),
      model: settings?.model ?? thread.model ?? null,
      branch: thread.gitInfo?.branch ?? null,
      activeTurnId: session.activeTurnId,
      lastTurnStatus: session.lastTurnStatus,
      parentSessionId: thread.parentThreadId ?? null,
      forkedFromId: thread.forkedFromId ?? null,
      queued: this.#ports.queued(session.id),
      ...(worktree == null ? {} : { worktree }),
      ...(pullRequest == null ? {} : { pullRequest }),
      unread: session.readState?.firstUnread != null,
      sectionId: thread.section?.id ?? null,
      snoozedUntil: snoozedUntil ?? null,
      changes: changes ?? null,
      ...(thread.agentNickname == null ? {} : { agentName: thread.agentNickname }),
    };
  }

  #title(session: Session): string {
    const own = this.#ports.about(session).title ?? session.thread.name;
    if (own) return own;
    const line = session.thread.preview.trim().split("\n")[0]?.trim() ?? "";
    return line === "" ? "New session" : line.length > 90 ? `${line.slice(0, 90)}…` : line;
  }
}

/** The thread that a notification is about. */
export function threadOf({ method, params }: ServerNotification): string | null {
  if (method === "thread/started") return params.thread.id;
  return "threadId" in params && typeof params.threadId === "string" ? params.threadId : null;
}

/** Older engines do not send it. */
const statusOf = (thread: Partial<Thread>): Thread["status"] => thread.status ?? { type: "idle" };

/** Events of a turn whose start was missed are ignored: reading the thread returns the whole turn. */
function folded(view: ThreadView, message: ServerNotification): ThreadView {
  const { method, params } = message;
  const turnId = "turnId" in params && typeof params.turnId === "string" ? params.turnId : undefined;
  const isStray = method !== "turn/started" && turnId !== undefined && !view.turns.some((turn) => turn.id === turnId);
  if (isStray && method !== "thread/tokenUsage/updated") return view;
  const next = foldNotification(view, message);
  return next.turns.length <= keptTurns ? next : { ...next, turns: next.turns.slice(-keptTurns) };
}

/** A session is named after its first message. */
function takePreview(session: Session, item: ThreadItem): boolean {
  if (item.type !== "userMessage" || session.thread.preview !== "") return false;
  const text = item.content.find((part) => part.type === "text");
  if (text?.type !== "text") return false;
  session.thread = { ...session.thread, preview: text.text };
  return true;
}

/** A turn's diff can be large and changes often; those of the last turns are enough. */
function keepDiff(diffs: Map<string, string>, turnId: string, diff: string): void {
  diffs.delete(turnId);
  diffs.set(turnId, diff.length > 4_000_000 ? diff.slice(0, 4_000_000) : diff);
  const [oldest] = diffs.keys();
  if (diffs.size > 100 && oldest !== undefined) diffs.delete(oldest);
}

/** Returns whether anything changed that a summary contains. */
function receiveThread(session: Session, message: ServerNotification): boolean {
  switch (message.method) {
    case "thread/status/changed":
      session.thread = { ...session.thread, status: message.params.status };
      if (message.params.status.type !== "active") session.activeTurnId = null;
      if (message.params.status.type === "notLoaded") session.attached = false;
      return true;
    case "thread/closed":
      session.attached = false;
      session.activeTurnId = null;
      return true;
    case "thread/readState/changed":
      session.readState = message.params.readState;
      return true;
    case "thread/name/updated":
      session.thread = { ...session.thread, name: message.params.threadName ?? null };
      return true;
    case "thread/archived":
    case "thread/unarchived":
      session.archived = message.method === "thread/archived";
      if (session.archived) session.attached = false;
      return true;
    case "thread/settings/updated": {
      const { model, effort, approvalPolicy, sandboxPolicy, activePermissionProfile: profile } = message.params.threadSettings;
      session.settings = { model, effort: effort ?? null, approvalPolicy, sandbox: sandboxPolicy, profile };
      return true;
    }
    default:
      return false;
  }
}

function stateOf(session: Session, pending: number): SessionState {
  const { status } = session.thread;
  if (status.type === "systemError") return "failed";
  const active = session.activeTurnId !== null || status.type === "active";
  if (active) return pending > 0 || (status.type === "active" && status.activeFlags.length > 0) ? "waiting" : "working";
  if (session.lastTurnStatus === "failed") return "failed";
  return status.type === "notLoaded" ? "notLoaded" : "idle";
}

const sourceName = (source: Thread["source"]): string =>
  typeof source === "string" ? source : "custom" in source ? source.custom : "subAgent";

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
    // Older engines read a thread as a whole.
    if (isUnsupported(error)) {
      const { thread } = await link.call("thread/read", { threadId, includeTurns: true });
      return { data: thread.turns.toReversed(), nextCursor: null };
    }
    // A session without a message has no turns on disk; that is not a failure.
    if (isUnknownThread(error) && cursor === null) return { data: [], nextCursor: null };
    throw error;
  }
}

/** Replaces the engine's record of the running turn, which contains only finished items, with the streamed turn. Newest first. */
export function withLiveTurn({ view }: Session, data: Turn[]): Turn[] {
  const live = view.turns.at(-1);
  if (live === undefined) return data;
  const recorded = data.find((turn) => turn.id === live.id);
  if (recorded === undefined) return live.status === "inProgress" ? [asTurn(live), ...data] : data;
  const isFuller = live.status === "inProgress" || recorded.items.length < live.items.length;
  return isFuller ? data.map((turn) => (turn === recorded ? { ...recorded, ...asTurn(live) } : turn)) : data;
}

const asTurn = ({ id, status, items, error, startedAt, durationMs }: TurnView): Turn => ({
  id,
  status,
  items: [...items],
  itemsView: "full",
  error,
  startedAt,
  durationMs,
});
