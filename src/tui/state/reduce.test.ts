import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Turn } from "../../protocol/turn.ts";
import { type Conversation, emptyConversation } from "./conversation.ts";
import type { Entry } from "./entry.ts";
import { settleMessages } from "./live.ts";
import { type Received, reduce } from "./reduce.ts";

const ids = { threadId: "T", turnId: "1" };
const turn = (status: Turn["status"], more: Partial<Turn> = {}): Turn => ({ id: "1", items: [], status, ...more });
const opened: Conversation = { ...emptyConversation, threadId: "T" };

const started = (item: ThreadItem): Received => ({ method: "item/started", params: { ...ids, item, startedAtMs: 0 } });
const completed = (item: ThreadItem): Received => ({ method: "item/completed", params: { ...ids, item, completedAtMs: 0 } });
const text = (itemId: string, delta: string): Received => ({ method: "item/agentMessage/delta", params: { ...ids, itemId, delta } });
const begin: Received = { method: "turn/started", params: { threadId: "T", turn: turn("inProgress") } };
const end = (status: Turn["status"], more: Partial<Turn> = {}): Received => ({
  method: "turn/completed",
  params: { threadId: "T", turn: turn(status, more) },
});

function after(...events: readonly Received[]): Conversation {
  return events.reduce((state, event) => reduce(state, event, 1000), opened);
}
const kinds = (state: Conversation): string[] => state.outbox.map(({ kind }) => kind);
const command = (id: string, more: Partial<Extract<ThreadItem, { type: "commandExecution" }>> = {}): ThreadItem => ({
  type: "commandExecution",
  id,
  command: "/bin/bash -lc 'npm test'",
  commandActions: [{ type: "unknown", command: "npm test" }],
  cwd: "/w",
  status: "inProgress",
  ...more,
});

test("a message is printed in pieces, and the rest when it ends", () => {
  const message: ThreadItem = { type: "agentMessage", id: "m", text: "" };
  let state = after(begin, started(message), text("m", "One.\n\nTw"));
  state = settleMessages(state);
  assert.deepEqual(state.outbox, [{ kind: "agent", piece: { kind: "markdown", text: "One.", joined: false }, isFirst: true }]);
  state = reduce(state, text("m", "o."), 0);
  state = reduce(state, completed({ ...message, text: "One.\n\nTwo." }), 0);
  assert.deepEqual(state.outbox.at(-1), { kind: "agent", piece: { kind: "markdown", text: "Two.", joined: false }, isFirst: false });
  assert.deepEqual(state.live, []);
});

test("a message whose stream broke is marked, and what still comes of it is not shown again", () => {
  const message: ThreadItem = { type: "agentMessage", id: "m", text: "" };
  const error = { message: "Reconnecting... 1/5", codexErrorInfo: null, additionalDetails: "the stream ended" };
  const retry: Received = { method: "error", params: { threadId: "T", turnId: "1", willRetry: true, error } };
  const shown = settleMessages(after(begin, started(message), text("m", "One.\n\nTw")));
  const broken = [retry, text("m", "o"), completed({ ...message, text: "One.\n\nTwo" })].reduce(
    (state, event) => reduce(state, event, 0),
    shown,
  );
  assert.deepEqual(
    broken.outbox.map((entry) =>
      entry.kind === "agent" && entry.piece.kind === "markdown" ? entry.piece.text : entry.kind === "note" && entry.text,
    ),
    ["One.", "Tw", "The answer broke off here; it is asked for again"],
  );
  assert.deepEqual([broken.live, broken.retrying], [[], "Reconnecting... 1/5"]);
  const unheard = after(begin, retry);
  assert.deepEqual(unheard.outbox, [], "nothing was shown, so nothing is marked");
});

test("missed deltas are filled in at the end", () => {
  const message: ThreadItem = { type: "agentMessage", id: "m", text: "" };
  const state = settleMessages(after(begin, started(message), text("m", "One.\n\n")));
  const done = reduce(state, completed({ ...message, text: "One.\n\nTwo.\n\nThree." }), 0);
  assert.deepEqual(
    done.outbox.map((entry) => entry.kind === "agent" && entry.piece.kind === "markdown" && entry.piece.text),
    ["One.", "Two.", "Three."],
  );
});

test("a running command shows the end of its output, which is folded when it is done", () => {
  const output = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join("\n");
  let state = after(begin, started(command("c")));
  for (let at = 0; at < output.length; at += 1000)
    state = reduce(
      state,
      { method: "item/commandExecution/outputDelta", params: { ...ids, itemId: "c", delta: output.slice(at, at + 1000) } },
      0,
    );
  const [live] = state.live;
  assert.ok(live?.kind === "command" && live.tail.length <= 16 * 1024 && live.tail.endsWith("line 19999"));
  assert.equal(live.lineCount, 19_999);
  assert.equal(live.command, "npm test");
  const done = reduce(state, completed(command("c", { status: "completed", exitCode: 0, aggregatedOutput: output })), 0);
  assert.deepEqual(done.outbox.at(-1), {
    kind: "command",
    command: "npm test",
    result: "done",
    exitCode: 0,
    durationMs: undefined,
    output: { head: ["line 0", "line 1"], hidden: 19_995, tail: ["line 19997", "line 19998", "line 19999"] },
    isOwn: false,
  });
});

test("consecutive reads are collected until something else happens", () => {
  const look = (id: string, name: string): Received =>
    completed(
      command(id, { status: "completed", exitCode: 0, commandActions: [{ type: "read", command: "cat", name, path: `/w/${name}` }] }),
    );
  const state = after(begin, look("a", "a.ts"), look("b", "b.ts"));
  assert.deepEqual(state.outbox, []);
  const next = reduce(state, completed(command("c", { status: "failed", exitCode: 1 })), 0);
  assert.deepEqual(next.outbox[0], {
    kind: "explored",
    looks: [
      { verb: "Read", what: "a.ts" },
      { verb: "Read", what: "b.ts" },
    ],
  });
  assert.deepEqual(kinds(reduce(state, end("completed"), 0)), ["explored"]);
});

test("an interrupted turn keeps its output and is marked as interrupted", () => {
  const state = after(
    begin,
    started(command("c")),
    started({ type: "agentMessage", id: "m", text: "" }),
    text("m", "Half a sen"),
    end("interrupted"),
  );
  assert.deepEqual(kinds(state), ["command", "agent", "note"]);
  assert.equal(state.turn, undefined);
  assert.deepEqual(state.live, []);
});

test("a command that outlives its turn was left running, not interrupted", () => {
  const state = after(begin, started(command("c")), end("completed"));
  const [entry] = state.outbox;
  assert.equal(entry?.kind === "command" && entry.result, "running");
});

test("a command that was stopped with its turn has not failed; one that failed by itself has", () => {
  const running = after(begin, started(command("c")));
  const stopping: Conversation = { ...running, turn: running.turn && { ...running.turn, isInterrupting: true } };
  const resultOf = (state: Conversation, exitCode: number | null): unknown => {
    const [entry] = reduce(state, completed(command("c", { status: "failed", exitCode })), 0).outbox;
    return entry?.kind === "command" && entry.result;
  };
  assert.equal(resultOf(stopping, 143), "interrupted");
  assert.equal(resultOf(stopping, null), "interrupted");
  assert.equal(resultOf(stopping, 1), "failed");
  assert.equal(resultOf(running, 143), "failed");
});

test("a review that the agent repeats as a message is printed once", () => {
  const message: ThreadItem = { type: "agentMessage", id: "m", text: "All good." };
  const ended = after(begin, completed({ type: "exitedReviewMode", id: "r", review: "All good." }));
  const repeated = [started(message), completed(message)].reduce((state, event) => reduce(state, event, 0), ended);
  assert.deepEqual(kinds(repeated), ["note", "agent"]);
  const other = { ...message, text: "Something else." };
  assert.deepEqual(kinds([started(other), completed(other)].reduce((state, event) => reduce(state, event, 0), ended)), [
    "note",
    "agent",
    "agent",
  ]);
});

test("a failed turn shows the reason once; a retry only in the status", () => {
  const error = (willRetry: boolean): Received => ({ method: "error", params: { ...ids, error: { message: "busy" }, willRetry } });
  const trying = after(begin, error(true));
  assert.equal(trying.retrying, "busy");
  const failed = [error(false), end("failed", { error: { message: "out of\u001b[31m credit" } })].reduce(
    (state, event) => reduce(state, event, 0),
    trying,
  );
  assert.deepEqual(failed.outbox, [{ kind: "note", tone: "error", text: "out of credit", detail: undefined }]);
  assert.equal(failed.retrying, undefined);
});

test("a plan is shown until it is carried out, then printed", () => {
  const plan = (...statuses: readonly ("pending" | "inProgress" | "completed")[]): Received => ({
    method: "turn/plan/updated",
    params: { ...ids, plan: statuses.map((status, i) => ({ step: `s${i}`, status })) },
  });
  const open = after(begin, plan("completed", "inProgress"));
  assert.equal(open.plan?.steps.length, 2);
  const done = reduce(open, plan("completed", "completed"), 0);
  assert.equal(done.plan, undefined);
  assert.deepEqual(kinds(done), ["plan"]);
  assert.deepEqual(kinds(reduce(open, end("completed"), 0)), ["plan"]);
});

test("a sent message is shown as such until it comes back as an item", () => {
  const sent = { ...opened, sent: [{ clientId: "x", text: "hi", isSteer: false }] };
  const item: ThreadItem = { type: "userMessage", id: "u", clientId: "x", content: [{ type: "text", text: "hi" }] };
  const state = reduce(sent, completed(item), 0);
  assert.deepEqual(state.sent, []);
  assert.deepEqual(state.outbox, [{ kind: "user", text: "hi", attachments: [] }]);
});

test("other threads do not count", () => {
  const other: Received = { method: "item/agentMessage/delta", params: { threadId: "sub", turnId: "9", itemId: "z", delta: "no" } };
  assert.equal(reduce(opened, other, 0), opened);
});

test("a hook is shown unless it simply passed", () => {
  const run = {
    id: "stop:0:/h",
    eventName: "stop",
    handlerType: "command",
    executionMode: "sync",
    scope: "turn",
    sourcePath: "/home/me/hooks.json",
    displayOrder: 0,
    startedAt: 1,
  } as const;
  const state = after(
    begin,
    { method: "hook/completed", params: { ...ids, run: { ...run, status: "completed", entries: [{ kind: "context", text: "x" }] } } },
    {
      method: "hook/completed",
      params: { ...ids, run: { ...run, status: "blocked", entries: [{ kind: "feedback", text: "run the\u001b tests" }] } },
    },
  );
  assert.deepEqual(
    state.outbox.map((entry) => entry.kind === "note" && entry.text),
    ["Stop hook said no: run the tests (/home/me/hooks.json)"],
  );
});

test("warnings, thoughts and starting servers", () => {
  const state = after(
    begin,
    { method: "item/reasoning/summaryTextDelta", params: { ...ids, itemId: "r", delta: "**Reading the", summaryIndex: 0 } },
    { method: "item/reasoning/summaryTextDelta", params: { ...ids, itemId: "r", delta: " code** then", summaryIndex: 0 } },
    { method: "mcpServer/startupStatus/updated", params: { name: "docs", status: "starting" } },
    { method: "mcpServer/startupStatus/updated", params: { name: "db", status: "failed", error: "no" } },
    { method: "warning", params: { message: "careful\u0007" } },
  );
  assert.equal(state.thought, "Reading the code");
  assert.deepEqual(state.starting, ["docs"]);
  assert.deepEqual(
    state.outbox.map((entry) => entry.kind === "note" && entry.text),
    ["MCP server db could not be started", "careful"],
  );
});

test("no order of events breaks the state, and nothing stays live after a turn", () => {
  const message: ThreadItem = { type: "agentMessage", id: "m", text: "x" };
  const events = fc.constantFrom<Received>(
    begin,
    started(message),
    text("m", "a\n\n"),
    completed(message),
    started(command("c")),
    completed(command("c", { status: "completed" })),
    end("completed"),
    text("none", "b"),
  );
  fc.assert(
    fc.property(fc.array(events, { maxLength: 30 }), (received) => {
      const state = [...received, end("completed")].reduce((before, one) => settleMessages(reduce(before, one, 0)), opened);
      assert.deepEqual(state.live, []);
      assert.equal(state.turn, undefined);
      assert.ok(state.outbox.every((entry: Entry) => entry.kind !== "agent" || entry.piece.kind === "markdown"));
    }),
  );
});

test("a message to a turn that was stopped before reading it stays in the transcript", () => {
  const sent = [{ clientId: "c", text: "and the tests", isSteer: true }];
  const state = reduce({ ...after(begin), sent }, end("interrupted"), 1000);
  assert.deepEqual(state.outbox[0], { kind: "user", text: "and the tests", attachments: [] });
  assert.deepEqual(state.sent, []);
});
