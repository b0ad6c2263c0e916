/** Rebuilds turns, the model's history and rollbacks from records. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadItem } from "../../protocol/item.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import { replay, replayForModel } from "./replay.ts";

const message = (role: string, text: string): ModelItem => ({ type: "message", role, content: [{ type: "input_text", text }] });
const begin = (turnId: string): ThreadRecord => ({ type: "turnStarted", turnId, atMs: 5_000, contextWindow: undefined, mode: "default" });
const user = (turnId: string): readonly ThreadRecord[] => [
  { type: "modelItem", turnId, item: message("user", turnId) },
  {
    type: "item",
    turnId,
    startedAtMs: 1,
    completedAtMs: 2,
    item: { type: "userMessage", id: `u-${turnId}`, content: [{ type: "text", text: turnId }] },
  },
];
const end = (turnId: string): ThreadRecord => ({
  ...{ type: "turnEnded", turnId, status: "completed", error: null, lastAgentMessage: null, atMs: 9_999, durationMs: 4_999 },
});
const turn = (turnId: string): readonly ThreadRecord[] => [begin(turnId), ...user(turnId), end(turnId)];
const texts = (items: readonly ModelItem[]): string[] =>
  items.map((item) =>
    item.type === "message" && item.content[0] !== undefined && "text" in item.content[0] ? item.content[0].text : item.type,
  );

test("turns keep their ids, times and items; one that never ended is interrupted", () => {
  const { turns, preview } = replay([...turn("one"), begin("two"), ...user("two")]);
  assert.deepEqual(
    turns.map(({ id, status, startedAt, completedAt, durationMs }) => [id, status, startedAt, completedAt, durationMs]),
    [
      ["one", "completed", 5, 9, 4_999],
      ["two", "interrupted", 5, null, null],
    ],
  );
  assert.equal(preview, "one");
  assert.deepEqual(turns[0]?.items[0], {
    startedAtMs: 1,
    completedAtMs: 2,
    type: "userMessage",
    id: "u-one",
    content: [{ type: "text", text: "one", text_elements: [] }],
    clientId: null,
  });
});

test("a rollback undoes turns, their messages for the model and a compaction they made", () => {
  const records: ThreadRecord[] = [
    { type: "modelItem", item: message("developer", "context") },
    ...turn("one"),
    ...turn("two"),
    begin("three"),
    { type: "compacted", turnId: "three", summary: "s", replacement: [message("user", "summary")] },
    end("three"),
    { type: "rolledBack", numTurns: 2 },
    ...turn("four"),
  ];
  const { turns, modelHistory } = replay(records);
  assert.deepEqual(
    turns.map((t) => t.id),
    ["one", "four"],
  );
  assert.deepEqual(texts(modelHistory), ["context", "one", "four"]);
});

test("a compaction that is not rolled back replaces the earlier history", () => {
  const records: ThreadRecord[] = [
    ...turn("one"),
    { type: "compacted", turnId: "one", summary: "s", replacement: [message("user", "summary")] },
    ...turn("two"),
  ];
  assert.deepEqual(texts(replay(records).modelHistory), ["summary", "two"]);
});

test("an item that ends after its turn belongs to that turn, and an item of a rolled back turn is dropped", () => {
  const late = (turnId: string): ThreadRecord => ({
    ...{ type: "item", turnId, startedAtMs: 1, completedAtMs: 2 },
    item: { type: "commandExecution", id: "call", command: "sleep 9", cwd: "/", commandActions: [], status: "completed" },
  });
  const { turns } = replay([
    ...turn("one"),
    ...turn("two"),
    { type: "rolledBack", numTurns: 1 },
    ...turn("three"),
    late("one"),
    late("two"),
  ]);
  assert.deepEqual(
    turns.map((t) => [t.id, t.items.length]),
    [
      ["one", 2],
      ["three", 1],
    ],
  );
});

test("rolling back more turns than exist leaves none", () => {
  assert.deepEqual(replay([...turn("one"), { type: "rolledBack", numTurns: 9 }]).turns, []);
});

test("a repeated work item replaces its first record, messages with the same id do not", () => {
  const record = (item: ThreadItem): ThreadRecord => ({ type: "item", turnId: "one", startedAtMs: 1, completedAtMs: 2, item });
  const command = (status: "inProgress" | "completed"): ThreadItem => ({
    ...{ type: "commandExecution", id: "call", command: "ls", cwd: "/", commandActions: [], status },
  });
  const agentMessage = (text: string): ThreadItem => ({ type: "agentMessage", id: "msg", text });
  const { turns } = replay([
    begin("one"),
    record(command("inProgress")),
    record(agentMessage("a")),
    record(agentMessage("b")),
    record(command("completed")),
  ]);
  assert.deepEqual(
    turns[0]?.items.map((item) => ("status" in item ? item.status : item.type === "agentMessage" ? item.text : "")),
    ["completed", "a", "b"],
  );
});

test("input that a turn accepted appears once: where it was taken in, or last when the turn died before that", () => {
  const steered = (turnId: string, text: string): ThreadRecord => ({
    ...{ type: "steered", turnId, atMs: 6_000, settings: {} as ThreadSettings },
    item: { type: "userMessage", id: `u-${text}`, content: [{ type: "text", text }] },
  });
  const records: ThreadRecord[] = [
    ...[
      begin("one"),
      ...user("one"),
      steered("one", "taken"),
      { type: "modelItem" as const, turnId: "one", item: message("assistant", "a") },
    ],
    ...user("taken").map((record) => ({ ...record, turnId: "one" }) as ThreadRecord),
    ...[end("one"), begin("two"), ...user("two"), steered("two", "late")],
    ...[{ type: "modelItem" as const, turnId: "two", item: message("assistant", "b") }, ...turn("three")],
  ];
  const { turns, modelHistory } = replay(records);
  assert.deepEqual(
    turns.map(({ items }) => items.map(({ id }) => id)),
    [["u-one", "u-taken"], ["u-two", "u-late"], ["u-three"]],
  );
  assert.deepEqual(texts(modelHistory), ["one", "a", "taken", "two", "b", "late", "three"]);
  const rolledBack = replay([...records.slice(0, -turn("three").length), { type: "rolledBack", numTurns: 1 }]);
  assert.deepEqual([rolledBack.turns.length, texts(rolledBack.modelHistory)], [1, ["one", "a", "taken"]]);
});

test("the model reads that the outcome of a call is unknown when its turn never ended, and nothing of the kind for a turn that goes on", () => {
  const call: ModelItem = { type: "function_call", call_id: "c1", name: "shell", arguments: "{}" };
  const records: ThreadRecord[] = [begin("one"), ...user("one"), { type: "modelItem", turnId: "one", item: call }];
  const last = (history: readonly ModelItem[]) => history.at(-1);
  const output = last(replay(records).modelHistory);
  assert.ok(output?.type === "function_call_output" && output.call_id === "c1");
  assert.match(String(output.output), /unknown/);
  assert.deepEqual(last(replay(records, "one").modelHistory), call);
  assert.deepEqual(last(replay([...records, end("one")]).modelHistory), call, "an interrupted call is aborted, which is known");
});

test("for a model all is replayed the same, but of a turn's items only whether somebody spoke to it", () => {
  const command: ThreadItem = { type: "commandExecution", id: "c", command: "ls", cwd: "/", commandActions: [], status: "completed" };
  const ran: ThreadRecord = { type: "item", turnId: "two", startedAtMs: 1, completedAtMs: 2, item: command };
  const late: ThreadRecord = {
    ...{ type: "steered", turnId: "three", atMs: 6_000, settings: {} as ThreadSettings },
    item: { type: "userMessage", id: "late", content: [{ type: "text", text: "late" }] },
  };
  const records = [...turn("one"), begin("two"), ran, end("two"), begin("three"), ran, late];
  const cut: ThreadRecord = { type: "rolledBack", numTurns: 1 };
  for (const each of [records, [...records, cut], [...records, cut, ...turn("four")]])
    for (const openTurn of [undefined, "three"]) {
      const [{ turns, ...rest }, { turns: wholeTurns, ...wholeRest }] = [replayForModel(each, openTurn), replay(each, openTurn)];
      assert.deepEqual(rest, wholeRest);
      const first = wholeTurns.map(({ items, ...facts }) => ({
        ...facts,
        items: items.filter(({ type }) => type === "userMessage").slice(0, 1),
      }));
      assert.deepEqual(turns, first);
    }
});
