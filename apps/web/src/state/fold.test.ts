import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "../../../../src/manager/events.ts";
import type { Turn } from "../../../../src/protocol/turn.ts";
import { type Action, reduce, type ThreadPage } from "./fold.ts";
import { type AppState, emptyState, type PendingRequest, type SessionSummary } from "./model.ts";

const bootId = "boot";
const play = (state: AppState, ...actions: readonly Action[]): AppState => actions.reduce(reduce, state);
const event = (seq: number, type: string, threadId: string | null, payload: unknown): Action => ({
  type: "event",
  event: { seq, bootId, type, threadId, payload } as StreamEvent,
});
const raw = (seq: number, method: string, params: Record<string, unknown>): Action =>
  event(seq, "notification", "t", { method, params: { threadId: "t", ...params } });
const page = (part: Partial<ThreadPage> = {}): Action => ({
  type: "threadPage",
  older: false,
  page: { sessionId: "t", turns: [], olderCursor: null, plan: null, diffs: {}, tokenUsage: null, notices: [], queue: [], seq: 0, ...part },
});
const opened = (part: Partial<ThreadPage> = {}): AppState => play(emptyState, { type: "threadOpened", sessionId: "t" }, page(part));
const turn = (id: string, status: Turn["status"] = "inProgress"): Turn => ({ id, status, items: [] });
const thread = (state: AppState) => state.threads.get("t") ?? assert.fail("thread t is open");
const request = (id: string): PendingRequest => ({
  requestId: id,
  kind: "command",
  method: "item/commandExecution/requestApproval",
  threadId: "t",
  rootThreadId: "t",
  turnId: "1",
  itemId: "i",
  callId: null,
  tool: null,
  arguments: null,
  summary: "",
  details: {},
  createdAt: "2026-01-01T00:00:00Z",
  expiresAt: null,
  status: "pending",
  sessionTitle: "T",
});
const me = { kind: "device", name: "Phone" };
const session = (part: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId: "t",
  title: "T",
  materialized: true,
  modelProvider: "x",
  approvalPolicy: null,
  sessionControls: null,
  createdAt: 1,
  updatedAt: 1,
  cwd: "/",
  source: "cli",
  projectId: null,
  state: "idle",
  pendingCount: 0,
  archived: false,
  systemOwned: false,
  preview: "",
  queued: 0,
  unread: false,
  ...part,
});

test("a turn grows from its events: text by deltas, the end by the completed item", () => {
  const live = play(
    opened(),
    raw(1, "turn/started", { turn: turn("1") }),
    raw(2, "item/started", { turnId: "1", item: { type: "agentMessage", id: "a", text: "" } }),
    raw(3, "item/agentMessage/delta", { turnId: "1", itemId: "a", delta: "Hel" }),
    raw(4, "item/agentMessage/delta", { turnId: "1", itemId: "a", delta: "lo" }),
  );
  assert.deepEqual(thread(live).turns[0]?.items, [{ type: "agentMessage", id: "a", text: "Hello" }]);
  const done = play(
    live,
    raw(5, "item/completed", { turnId: "1", item: { type: "agentMessage", id: "a", text: "Hello." } }),
    raw(6, "turn/completed", {
      turn: {
        ...turn("1", "completed"),
        durationMs: 7,
        itemsView: "summary",
        items: [{ type: "agentMessage", id: "z", text: "only the last" }],
      },
    }),
  );
  assert.deepEqual(thread(done).turns[0]?.items, [{ type: "agentMessage", id: "a", text: "Hello." }]);
  assert.equal(thread(done).turns[0]?.status, "completed");
  assert.equal(thread(done).turns[0]?.durationMs, 7);
});

test("an event that a page already contains changes nothing", () => {
  const state = opened({ seq: 10, turns: [{ id: "1", status: "inProgress", items: [{ type: "agentMessage", id: "a", text: "Hello" }] }] });
  assert.equal(play(state, raw(10, "item/agentMessage/delta", { turnId: "1", itemId: "a", delta: "lo" })), state);
});

test("events that arrive before the first page are folded after it", () => {
  const early = play(
    emptyState,
    { type: "threadOpened", sessionId: "t" },
    raw(4, "item/agentMessage/delta", { turnId: "1", itemId: "a", delta: "old" }),
    raw(6, "item/agentMessage/delta", { turnId: "1", itemId: "a", delta: "!" }),
  );
  const state = play(
    early,
    page({ seq: 5, turns: [{ id: "1", status: "inProgress", items: [{ type: "agentMessage", id: "a", text: "Hi" }] }] }),
  );
  assert.deepEqual(thread(state).turns[0]?.items, [{ type: "agentMessage", id: "a", text: "Hi!" }]);
  assert.equal(thread(state).seq, 6);
});

test("older turns go in front, once each", () => {
  const state = play(opened({ turns: [turn("2", "completed")], olderCursor: "c" }), {
    ...page({ turns: [turn("2", "completed"), turn("1", "completed")], olderCursor: null }),
    older: true,
  } as Action);
  assert.deepEqual(
    thread(state).turns.map((t) => t.id),
    ["1", "2"],
  );
  assert.equal(thread(state).olderCursor, null);
});

test("a command that was running when its turn was stopped is not shown as running", () => {
  const state = play(
    opened(),
    raw(1, "turn/started", { turn: turn("1") }),
    raw(2, "item/started", {
      turnId: "1",
      item: { type: "commandExecution", id: "c", command: "sleep", commandActions: [], cwd: "/", status: "inProgress" },
    }),
    raw(3, "turn/completed", { turn: turn("1", "interrupted") }),
  );
  const item = thread(state).turns[0]?.items[0];
  assert.equal(item?.type === "commandExecution" && item.status, "failed");
});

test("an error that is retried is a notice; one that is not is the turn's error", () => {
  const error = { message: "gone" };
  const trying = play(opened(), raw(1, "turn/started", { turn: turn("1") }), raw(2, "error", { turnId: "1", error, willRetry: true }));
  assert.equal(thread(trying).turns[0]?.retrying, "gone");
  assert.equal(thread(trying).turns[0]?.error, null);
  const failed = play(trying, raw(3, "error", { turnId: "1", error, willRetry: false }));
  assert.deepEqual(thread(failed).turns[0]?.error, error);
});

test("reasoning parts grow by their index, also out of order", () => {
  const state = play(
    opened(),
    raw(1, "item/reasoning/summaryTextDelta", { turnId: "1", itemId: "r", summaryIndex: 1, delta: "b" }),
    raw(2, "item/reasoning/summaryTextDelta", { turnId: "1", itemId: "r", summaryIndex: 0, delta: "a" }),
  );
  assert.deepEqual(thread(state).turns[0]?.items, [{ type: "reasoning", id: "r", summary: ["a", "b"], content: [] }]);
});

test("a request ends only by the server's event, which says by whom", () => {
  const asked = play(emptyState, event(1, "approval", "t", request("r1")), {
    type: "answer",
    requestId: "r1",
    answer: "accepted",
    problem: null,
  });
  assert.equal(asked.pending.get("r1")?.answer, "accepted");
  const ended = play(
    asked,
    event(2, "approval_resolved", "t", { approvalId: "r1", status: "resolved", decision: "accept", threadId: "t", by: me, at: "now" }),
  );
  assert.equal(ended.pending.size, 0);
  assert.deepEqual(
    ended.resolved.map((r) => [r.requestId, r.decision, r.by.name]),
    [["r1", "accept", "Phone"]],
  );
});

test("hearing of a request again keeps what this page was doing with it", () => {
  const state = play(
    emptyState,
    event(1, "approval", "t", request("r1")),
    { type: "answer", requestId: "r1", answer: "sending", problem: null },
    event(1, "approval", "t", request("r1")),
  );
  assert.equal(state.pending.get("r1")?.answer, "sending");
});

test("someone else's answer on its way is shown, and taken back when it failed", () => {
  const state = play(
    emptyState,
    event(1, "approval", "t", request("r1")),
    event(2, "request_responding", "t", { requestId: "r1", threadId: "t", responding: true, by: me }),
  );
  assert.equal(state.pending.get("r1")?.answer, "elsewhere");
  assert.equal(
    play(state, event(3, "request_responding", "t", { requestId: "r1", threadId: "t", responding: false, by: me })).pending.get("r1")
      ?.answer,
    "none",
  );
});

test("the list of what waits replaces the old one", () => {
  const state = play(emptyState, event(1, "approval", "t", request("r1")), { type: "pending", requests: [request("r2")] });
  assert.deepEqual([...state.pending.keys()], ["r2"]);
});

test("a message leaves the outbox when the transcript or the queue shows it", () => {
  const message = {
    messageId: "m1",
    sessionId: "t",
    input: [],
    text: "hi",
    delivery: "auto",
    overrides: {},
    state: "sending",
    problem: null,
  } as const;
  const sent = play(opened(), { type: "outbox", message }, raw(1, "turn/started", { turn: turn("1") }));
  assert.equal(sent.outbox.length, 1);
  assert.equal(
    play(sent, raw(2, "item/started", { turnId: "1", item: { type: "userMessage", id: "u", content: [], clientId: "m1" } })).outbox.length,
    0,
  );
  const queue = [{ messageId: "m1", input: [], text: "hi", createdAt: "", by: me }];
  const queued = play(sent, event(3, "queue_updated", "t", { sessionId: "t", queue }));
  assert.equal(queued.outbox.length, 0);
  assert.deepEqual(thread(queued).queue, queue);
  const late = play(sent, raw(2, "item/started", { turnId: "1", item: { type: "userMessage", id: "u", content: [], clientId: "m1" } }), {
    type: "outbox",
    message: { ...message, state: "accepted" },
  });
  assert.equal(late.outbox.length, 0, "an answer that comes after the event brings nothing back");
});

test("goals and sections follow their events, also before a thread is loaded", () => {
  const goal = { threadId: "t", objective: "o", status: "active", tokensUsed: 1, timeUsedSeconds: 2, createdAt: 1, updatedAt: 1 };
  const set = play(emptyState, event(1, "notification", "t", { method: "thread/goal/updated", params: { threadId: "t", goal } }));
  assert.equal(set.goals.get("t")?.objective, "o");
  const cleared = play(set, event(2, "notification", "t", { method: "thread/goal/cleared", params: { threadId: "t" } }));
  assert.equal(cleared.goals.size, 0);
  const data = [{ sectionId: "p", name: "Pinned", isPinned: true, sessionIds: ["t"] }];
  assert.deepEqual(play(cleared, event(3, "sections_updated", null, { data })).sections, data);
});

test("an answer about a goal that comes after a newer event changes nothing", () => {
  const goal = { threadId: "t", objective: "o", status: "active", tokensUsed: 1, timeUsedSeconds: 2, createdAt: 1, updatedAt: 1 } as const;
  const answer = { type: "goal", sessionId: "t", goal: { ...goal, tokenBudget: null }, since: undefined } as const;
  assert.equal(play(emptyState, answer).goals.get("t")?.status, "active");
  const params = { threadId: "t", goal: { ...goal, status: "complete" } };
  const reached = play(emptyState, event(1, "notification", "t", { method: "thread/goal/updated", params }));
  assert.equal(play(reached, answer).goals.get("t")?.status, "complete");
  const cleared = play(emptyState, answer, event(2, "notification", "t", { method: "thread/goal/cleared", params: { threadId: "t" } }));
  assert.equal(play(cleared, { ...answer, since: goal }).goals.size, 0);
});

test("archiving moves a session between the lists, deleting takes everything of it", () => {
  const state = play(opened(), event(1, "session_upserted", "t", session()), event(2, "approval", "t", request("r1")));
  const archived = play(state, event(3, "session_upserted", "t", session({ archived: true })));
  assert.deepEqual([archived.sessions.size, archived.archived.size], [0, 1]);
  const deleted = play(state, event(4, "session_deleted", "t", { sessionId: "t" }));
  assert.deepEqual([deleted.sessions.size, deleted.threads.size, deleted.pending.size], [0, 0, 0]);
});

test("signing out forgets everything", () => {
  const state = play(opened(), event(1, "session_upserted", "t", session()), { type: "phase", phase: "signedOut" });
  assert.deepEqual([state.phase, state.sessions.size, state.threads.size], ["signedOut", 0, 0]);
});

test("a response older than the last event of a session does not undo it", () => {
  const listed = (seq: number, part: Partial<SessionSummary>, first = false): Action => ({
    type: "sessions",
    sessions: [session(part)],
    archived: false,
    first,
    complete: true,
    seq,
  });
  const idle = play(emptyState, listed(1, { state: "working" }), event(3, "session_upserted", "t", session({ state: "idle" })));
  for (const first of [false, true]) {
    assert.equal(play(idle, listed(2, { state: "working" }, first)).sessions.get("t")?.state, "idle");
    assert.equal(play(idle, listed(3, { state: "failed" }, first)).sessions.get("t")?.state, "failed");
  }
  const deleted = play(idle, event(4, "session_deleted", "t", { sessionId: "t" }), listed(3, {}));
  assert.equal(deleted.sessions.size, 0);
  const archived = play(idle, event(4, "session_upserted", "t", session({ archived: true })), listed(3, {}, true));
  assert.deepEqual([archived.sessions.size, archived.archived.size], [0, 1]);
  assert.equal(play(idle, { type: "resync" }, listed(1, { state: "working" })).sessions.get("t")?.state, "working");
});

test("what happens while a thread is read again is not undone by the older answer", () => {
  const before = opened({ turns: [turn("1")], seq: 1 });
  const reading = play(before, { type: "threadReading", sessionId: "t" });
  const ended = play(reading, raw(3, "turn/completed", { turn: turn("1", "completed") }));
  assert.equal(thread(ended).turns[0]?.status, "completed");
  const read = play(ended, page({ turns: [turn("1")], seq: 2 }));
  assert.deepEqual([thread(read).turns[0]?.status, thread(read).seq, thread(read).early], ["completed", 3, []]);
  const queued = play(reading, event(3, "queue_updated", "t", { sessionId: "t", queue: [{ messageId: "q" }] }), page({ seq: 2 }));
  assert.equal(thread(queued).queue.length, 1);
  assert.equal(thread(play(queued, page({ seq: 3 }))).queue.length, 0);
  const failed = play(ended, { type: "threadUnread", sessionId: "t" });
  assert.deepEqual([thread(failed).turns[0]?.status, thread(failed).early, thread(failed).reading], ["completed", [], 0]);
});

test("a warning that came before the session was opened is shown with its first page, once", () => {
  const notice = { id: "n", kind: "warning", text: "80 % of the budget is used." } as const;
  const state = play(opened({ notices: [notice], seq: 4 }), raw(5, "warning", { message: notice.text }));
  assert.deepEqual(
    thread(state).notices.map(({ text }) => text),
    [notice.text],
  );
});
