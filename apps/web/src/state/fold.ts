/** The page's only reducer: everything that happens is an action that turns the last state into the next. */
import type { StreamEvent } from "../../../../src/manager/events.ts";
import type { ServerNotification } from "../../../../src/protocol/methods.ts";
import type { Turn } from "../../../../src/protocol/turn.ts";
import { addNotice, foldNotification, type Notice, turnView } from "../../../../src/sessions/thread-view.ts";
import {
  type AppState,
  type Decision,
  emptyState,
  emptyThread,
  type Goal,
  type OutgoingMessage,
  type PendingRequest,
  type PendingView,
  type Project,
  type QueuedMessage,
  type Section,
  type SessionSummary,
  type ThreadTokenUsage,
  type ThreadView,
  withEntry,
} from "./model.ts";

export interface ThreadPage {
  readonly sessionId: string;
  /** Newest first, as the server sends them. */
  readonly turns: readonly Turn[];
  readonly olderCursor: string | null;
  readonly plan: {
    readonly turnId: string;
    readonly explanation: string | null;
    readonly steps: NonNullable<ThreadView["turns"][number]["plan"]>["steps"];
  } | null;
  readonly diffs: Readonly<Record<string, string>>;
  readonly tokenUsage: ThreadTokenUsage | null;
  /** What the engine warned of before this page was read. */
  readonly notices: readonly Notice[];
  readonly queue: readonly QueuedMessage[];
  /** Earlier decisions in the session, if they are stored. */
  readonly decisions?: readonly Decision[];
  readonly seq: number;
}

export type Action =
  | { readonly type: "event"; readonly event: StreamEvent }
  | { readonly type: "link"; readonly link: AppState["link"] }
  | { readonly type: "phase"; readonly phase: AppState["phase"]; readonly why?: string | undefined }
  | {
      readonly type: "sessions";
      readonly sessions: readonly SessionSummary[];
      readonly archived: boolean;
      readonly first: boolean;
      readonly complete: boolean;
      /** The last event that the response includes; if missing, the response is the newest. */
      readonly seq?: number | undefined;
    }
  | { readonly type: "resync" }
  | { readonly type: "sections"; readonly sections: readonly Section[] }
  /** An answer, asked for when the goal was `since`: what events have said meanwhile is newer. */
  | { readonly type: "goal"; readonly sessionId: string; readonly goal: Goal | null; readonly since: Goal | undefined }
  | { readonly type: "projects"; readonly projects: readonly Project[] }
  | { readonly type: "pending"; readonly requests: readonly PendingRequest[] }
  | { readonly type: "threadPage"; readonly page: ThreadPage; readonly older: boolean }
  | { readonly type: "threadOpened"; readonly sessionId: string }
  | { readonly type: "threadReading" | "threadUnread"; readonly sessionId: string }
  | { readonly type: "threadClosed"; readonly sessionId: string }
  | { readonly type: "answer"; readonly requestId: string; readonly answer: PendingView["answer"]; readonly problem: string | null }
  | { readonly type: "outbox"; readonly message: OutgoingMessage }
  | { readonly type: "outboxDrop"; readonly messageId: string }
  | { readonly type: "open"; readonly sessionId: string | null };

export function reduce(state: AppState, action: Action): AppState {
  switch (action.type) {
    case "event":
      return foldEvent(state, action.event);
    case "link":
      return { ...state, link: action.link };
    case "phase":
      return action.phase === "signedOut"
        ? { ...emptyState, phase: "signedOut", signedOutBecause: action.why ?? null }
        : { ...state, phase: action.phase };
    case "sessions":
      return foldSessions(state, action);
    case "projects":
      return { ...state, projects: action.projects };
    case "pending":
      return { ...state, pending: mergePending(state.pending, action.requests) };
    case "threadPage":
      return foldPage(state, action.page, action.older);
    case "threadOpened":
      return state.threads.has(action.sessionId)
        ? state
        : { ...state, threads: withEntry(state.threads, action.sessionId, emptyThread(action.sessionId)) };
    case "threadReading":
      return changeThread(state, action.sessionId, (t) => ({ ...t, reading: t.reading + 1 }));
    case "threadUnread":
      return changeThread(state, action.sessionId, read);
    case "threadClosed":
      return {
        ...state,
        threads: withEntry(state.threads, action.sessionId, undefined),
        decisions: withEntry(state.decisions, action.sessionId, undefined),
      };
    case "resync":
      // The numbering may restart.
      return {
        ...state,
        lastEventOf: new Map(),
        threads: new Map([...state.threads].map(([id, t]) => [id, { ...t, seq: 0, queueSeq: 0 }])),
      };
    case "answer":
      return changePending(state, action.requestId, (p) => ({ ...p, answer: action.answer, problem: action.problem }));
    case "outbox":
      // The event that shows it may arrive before the response that accepts it.
      if (action.message.state === "accepted" && !state.outbox.some((m) => m.messageId === action.message.messageId)) return state;
      return { ...state, outbox: [...state.outbox.filter((m) => m.messageId !== action.message.messageId), action.message] };
    case "sections":
      return { ...state, sections: action.sections };
    case "goal":
      if (state.goals.get(action.sessionId) !== action.since) return state;
      return { ...state, goals: withEntry(state.goals, action.sessionId, action.goal ?? undefined) };
    case "outboxDrop":
      return { ...state, outbox: state.outbox.filter((m) => m.messageId !== action.messageId) };
    case "open":
      return { ...state, openSession: action.sessionId };
  }
}

function foldSessions(state: AppState, action: Extract<Action, { type: "sessions" }>): AppState {
  const key = action.archived ? "archived" : "sessions";
  const map = new Map(action.first ? [] : state[key]);
  const isOld = (id: string): boolean => action.seq !== undefined && (state.lastEventOf.get(id) ?? 0) > action.seq;
  for (const [id, session] of state[key]) if (isOld(id)) map.set(id, session);
  for (const session of action.sessions) if (!isOld(session.sessionId)) map.set(session.sessionId, session);
  return { ...state, [key]: map, ...(action.archived ? {} : { listComplete: action.complete }) };
}

/** The server's list determines what is waiting; this page's own state of an entry is kept. */
function mergePending(before: ReadonlyMap<string, PendingView>, requests: readonly PendingRequest[]): ReadonlyMap<string, PendingView> {
  return new Map(
    requests.map((r) => [
      r.requestId,
      { ...r, answer: answerOf(r, before.get(r.requestId)), problem: before.get(r.requestId)?.problem ?? null },
    ]),
  );
}

const answerOf = (request: PendingRequest, before: PendingView | undefined): PendingView["answer"] =>
  before?.answer === "sending" || before?.answer === "accepted" ? before.answer : request.status === "responding" ? "elsewhere" : "none";

function foldPage(state: AppState, page: ThreadPage, older: boolean): AppState {
  const before = state.threads.get(page.sessionId) ?? emptyThread(page.sessionId);
  const known = new Map(before.turns.map((t) => [t.id, t]));
  const fresh = page.turns
    .map((turn) => {
      const view = turnView(turn, older ? undefined : known.get(turn.id));
      const plan = page.plan?.turnId === turn.id ? { explanation: page.plan.explanation, steps: page.plan.steps } : view.plan;
      return { ...view, plan, diff: page.diffs[turn.id] ?? view.diff };
    })
    .reverse();
  if (older) {
    const have = new Set(before.turns.map((t) => t.id));
    const thread = { ...before, turns: [...fresh.filter((t) => !have.has(t.id)), ...before.turns], olderCursor: page.olderCursor };
    return { ...state, threads: withEntry(state.threads, page.sessionId, thread) };
  }
  const base: ThreadView = {
    ...read({ ...before, loaded: true }),
    turns: fresh,
    olderCursor: page.olderCursor,
    tokenUsage: page.tokenUsage ?? before.tokenUsage,
    notices: page.notices.reduce(addNotice, before).notices,
    queue: before.queueSeq > page.seq ? before.queue : page.queue,
    seq: page.seq,
  };
  // Events that arrived while the page was being loaded are applied after it.
  const late = before.early.filter((e) => e.seq > page.seq);
  const thread = late.reduce((t, e) => ({ ...foldNotification(t, e.message), seq: e.seq }), base);
  const decisions = withEntry(state.decisions, page.sessionId, joined(page.decisions ?? [], state.decisions.get(page.sessionId) ?? []));
  return dropDelivered({ ...state, threads: withEntry(state.threads, page.sessionId, thread), decisions }, thread);
}

function foldEvent(state: AppState, event: StreamEvent): AppState {
  switch (event.type) {
    case "notification":
      return foldRaw(foldGoal(state, event.payload as ServerNotification), event);
    case "session_upserted":
      return noted(foldSession(state, event.payload), event.payload.sessionId, event.seq);
    case "session_deleted":
      return noted(forget(state, event.payload.sessionId), event.payload.sessionId, event.seq);
    case "session_project_updated": {
      const session = state.sessions.get(event.payload.sessionId);
      if (session === undefined) return state;
      return { ...state, sessions: withEntry(state.sessions, session.sessionId, { ...session, projectId: event.payload.projectId }) };
    }
    case "queue_updated": {
      const thread = state.threads.get(event.payload.sessionId);
      const delivered = dropQueued(state, event.payload.queue);
      return thread === undefined
        ? delivered
        : { ...delivered, threads: withEntry(state.threads, thread.id, { ...thread, queue: event.payload.queue, queueSeq: event.seq }) };
    }
    case "sections_updated":
      return { ...state, sections: event.payload.data };
    case "project_upserted":
      return { ...state, projects: [...state.projects.filter((p) => p.projectId !== event.payload.projectId), event.payload].sort(byName) };
    case "project_deleted":
      return { ...state, projects: state.projects.filter((p) => p.projectId !== event.payload.projectId) };
    case "approval":
    case "tool_user_input_requested":
    case "tool_call_requested":
    case "request_pending":
      return addPending(state, event.payload);
    case "request_responding":
      return changePending(state, event.payload.requestId, (p) =>
        p.answer === "sending" || p.answer === "accepted" ? p : { ...p, answer: event.payload.responding ? "elsewhere" : "none" },
      );
    case "approval_resolved":
      return resolve(state, event.payload.approvalId, event.payload);
    case "tool_user_input_resolved":
    case "request_resolved":
      return resolve(state, event.payload.requestId, event.payload);
    case "tool_call_resolved":
      return resolve(state, event.payload.requestId, { ...event.payload, decision: event.payload.success ? "success" : "failure" });
    case "account_login_completed":
      return { ...state, lastLogin: event.payload };
    case "templates_changed":
      return { ...state, templateChanges: state.templateChanges + 1 };
    case "schedules_changed":
      return { ...state, scheduleChanges: state.scheduleChanges + 1 };
    case "engine_state":
      return { ...state, engine: { running: event.payload.running, reason: event.payload.reason ?? null } };
    default:
      return state;
  }
}

/** Goals change outside of turns, and also before the first page of a thread is loaded. */
function foldGoal(state: AppState, { method, params }: ServerNotification): AppState {
  if (method === "thread/goal/updated") return { ...state, goals: withEntry(state.goals, params.threadId, params.goal) };
  return method === "thread/goal/cleared" ? { ...state, goals: withEntry(state.goals, params.threadId, undefined) } : state;
}

function foldRaw(state: AppState, event: Extract<StreamEvent, { type: "notification" }>): AppState {
  const thread = event.threadId === null ? undefined : state.threads.get(event.threadId);
  if (thread === undefined || event.seq <= thread.seq) return state;
  // The manager validates what its engine sends before forwarding it.
  const message = event.payload as ServerNotification;
  const early = thread.loaded && thread.reading === 0 ? thread.early : [...thread.early, { seq: event.seq, message }];
  if (!thread.loaded) return { ...state, threads: withEntry(state.threads, thread.id, { ...thread, early }) };
  const next = { ...foldNotification(thread, message), seq: event.seq, early };
  const folded = { ...state, threads: withEntry(state.threads, thread.id, next) };
  return message.method.startsWith("item/") || message.method === "turn/completed" ? dropDelivered(folded, next) : folded;
}

const noted = (state: AppState, sessionId: string, seq: number): AppState => ({
  ...state,
  lastEventOf: withEntry(state.lastEventOf, sessionId, seq),
});

/** One load less in progress; buffered events are dropped with the last one, unless there is nothing yet to fold them into. */
function read(thread: ThreadView): ThreadView {
  const reading = Math.max(0, thread.reading - 1);
  return { ...thread, reading, early: reading === 0 && thread.loaded ? [] : thread.early };
}

function changeThread(state: AppState, sessionId: string, change: (thread: ThreadView) => ThreadView): AppState {
  const before = state.threads.get(sessionId);
  return before === undefined ? state : { ...state, threads: withEntry(state.threads, sessionId, change(before)) };
}

function foldSession(state: AppState, session: SessionSummary): AppState {
  return session.archived
    ? {
        ...state,
        sessions: withEntry(state.sessions, session.sessionId, undefined),
        archived: withEntry(state.archived, session.sessionId, session),
      }
    : {
        ...state,
        sessions: withEntry(state.sessions, session.sessionId, session),
        archived: withEntry(state.archived, session.sessionId, undefined),
      };
}

function forget(state: AppState, sessionId: string): AppState {
  return {
    ...state,
    sessions: withEntry(state.sessions, sessionId, undefined),
    archived: withEntry(state.archived, sessionId, undefined),
    threads: withEntry(state.threads, sessionId, undefined),
    pending: new Map([...state.pending].filter(([, p]) => p.threadId !== sessionId)),
    outbox: state.outbox.filter((m) => m.sessionId !== sessionId),
  };
}

type Ending = Pick<Decision, "status" | "by" | "at" | "answers"> & {
  readonly decision?: unknown;
  readonly reason?: string | null | undefined;
};

/** The stored decisions, and those received since; the same request counts once. */
function joined(kept: readonly Decision[], received: readonly Decision[]): readonly Decision[] {
  const known = new Set(kept.map((d) => d.requestId));
  return [...kept, ...received.filter((d) => !known.has(d.requestId))];
}

function addPending(state: AppState, request: PendingRequest): AppState {
  const before = state.pending.get(request.requestId);
  const view = { ...request, answer: answerOf(request, before), problem: before?.problem ?? null };
  return { ...state, pending: withEntry(state.pending, request.requestId, view) };
}

function resolve(state: AppState, requestId: string, end: Ending): AppState {
  const request = state.pending.get(requestId);
  if (request === undefined) return state;
  const { kind, threadId, turnId, itemId, callId, summary } = request;
  const entry: Decision = {
    ...{ requestId, kind, threadId, turnId, itemId: itemId ?? callId, summary, status: end.status, by: end.by, at: end.at },
    decision: end.decision ?? null,
    reason: end.reason ?? null,
    ...(end.answers === undefined ? {} : { answers: end.answers }),
  };
  const here = state.threads.has(threadId);
  return {
    ...state,
    pending: withEntry(state.pending, requestId, undefined),
    resolved: [entry, ...state.resolved.filter((r) => r.requestId !== requestId)].slice(0, 200),
    decisions: here
      ? withEntry(state.decisions, threadId, joined([entry], state.decisions.get(threadId) ?? []).toSorted(byTime))
      : state.decisions,
  };
}

const byTime = (a: Decision, b: Decision): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

function changePending(state: AppState, requestId: string, change: (p: PendingView) => PendingView): AppState {
  const before = state.pending.get(requestId);
  return before === undefined ? state : { ...state, pending: withEntry(state.pending, requestId, change(before)) };
}

/** A message leaves the outbox when the transcript shows it. */
function dropDelivered(state: AppState, thread: ThreadView): AppState {
  if (state.outbox.length === 0) return state;
  const shown = new Set<string>();
  for (const turn of thread.turns.slice(-3))
    for (const item of turn.items) if (item.type === "userMessage" && item.clientId != null) shown.add(item.clientId);
  return state.outbox.some((m) => shown.has(m.messageId))
    ? { ...state, outbox: state.outbox.filter((m) => !shown.has(m.messageId)) }
    : state;
}

function dropQueued(state: AppState, queue: readonly QueuedMessage[]): AppState {
  const waiting = new Set(queue.map((q) => q.messageId));
  return state.outbox.some((m) => waiting.has(m.messageId))
    ? { ...state, outbox: state.outbox.filter((m) => !waiting.has(m.messageId)) }
    : state;
}

const byName = (a: Project, b: Project): number => a.name.localeCompare(b.name);
