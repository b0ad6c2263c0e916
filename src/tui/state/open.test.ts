import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Turn } from "../../protocol/turn.ts";
import { type Conversation, emit, emptyConversation } from "./conversation.ts";
import { note } from "./entry.ts";
import { type Opened, openConversation, openedAfter, reopenConversation } from "./open.ts";

const agentMessage = (id: string, text: string): ThreadItem => ({ type: "agentMessage", id, text, completedAtMs: 1 });
const turn = (id: string, status: Turn["status"], ...items: ThreadItem[]): Turn => ({ id, status, items });
const opened = (...turns: Turn[]): Opened =>
  ({
    thread: { id: "T", name: null, turns, cwd: "/w" },
    cwd: "/w",
    model: "m",
    modelProvider: "p",
    approvalPolicy: "on-request",
    approvalsReviewer: "user",
    sandbox: { type: "readOnly" },
    reasoningEffort: "high",
  }) as unknown as Opened;

test("a stored thread is restored with its settings and the end of its history", () => {
  const turns = Array.from({ length: 25 }, (_, i) => turn(String(i), "completed", agentMessage(`m${i}`, `text ${i}`)));
  const state = openConversation(opened(...turns), undefined, 0);
  assert.deepEqual(state.settings, {
    cwd: "/w",
    model: "m",
    provider: "p",
    effort: "high",
    approvalPolicy: "on-request",
    sandbox: { type: "readOnly" },
    mode: "default",
  });
  assert.equal(state.outbox.length, 21);
  assert.equal(state.outbox[0]?.kind === "note" && state.outbox[0].text, "5 earlier turns are not shown; ctrl+t shows all");
});

test("warnings that came while a thread was opened are the thread's; those of another thread are not", () => {
  const warned = (state: Conversation, text: string): Conversation => emit(state, [note("warning", text)]);
  const next = warned(openConversation(opened(), undefined, 0), "later");
  const first = openedAfter(warned(emptyConversation, "AGENTS.md cannot be read"), next);
  assert.deepEqual(first.warnings, ["AGENTS.md cannot be read", "later"]);
  assert.equal(first.outbox.length, 2);
  const old = { ...warned(openConversation(opened(), undefined, 0), "old"), outbox: [] };
  assert.deepEqual(openedAfter(warned(old, "just now"), next).warnings, ["just now", "later"]);
});

test("a turn that still runs continues to be drawn", () => {
  const running = turn("2", "inProgress", agentMessage("a", "done"), { type: "agentMessage", id: "b", text: "half" });
  const state = openConversation(opened(turn("1", "failed", agentMessage("x", "y")), running), undefined, 5000);
  assert.equal(state.turn?.id, "2");
  assert.deepEqual(
    state.live.map(({ id }) => id),
    ["b"],
  );
});

test("after a lost connection only the turn that ran is printed again", () => {
  const before = { ...openConversation(opened(turn("1", "completed", agentMessage("a", "one"))), undefined, 0), outbox: [] };
  const idle = reopenConversation(
    before,
    opened(turn("1", "completed", agentMessage("a", "one")), turn("2", "completed", agentMessage("b", "two"))),
    0,
  );
  assert.deepEqual(idle.outbox, []);
  const running = { ...before, turn: { id: "2", startedAtMs: 0, isInterrupting: false, hasWorked: false } };
  const missed = reopenConversation(
    running,
    opened(turn("1", "completed", agentMessage("a", "one")), turn("2", "completed", agentMessage("b", "two"))),
    0,
  );
  assert.equal(missed.turn, undefined);
  assert.equal(missed.outbox.length, 1);
});
