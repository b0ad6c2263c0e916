import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadItem } from "../protocol/item.ts";
import type { ServerNotification } from "../protocol/methods.ts";
import type { Turn } from "../protocol/turn.ts";
import { emptyView, foldNotification, type ThreadView } from "./thread-view.ts";

const turn = (id: string, part: Partial<Turn> = {}): Turn => ({ id, status: "inProgress", items: [], ...part });
const where = { threadId: "t", turnId: "1" };
const fold = <T extends ThreadView>(view: T, ...messages: readonly ServerNotification[]): T => messages.reduce(foldNotification<T>, view);
const started: ServerNotification = { method: "turn/started", params: { threadId: "t", turn: turn("1") } };
const itemStarted = (item: ThreadItem): ServerNotification => ({ method: "item/started", params: { ...where, item, startedAtMs: 1 } });

test("a caller's additional members are returned unchanged, and unrelated notifications return the same object", () => {
  const mine = { ...emptyView, unread: 3 };
  assert.equal(fold(mine, started).unread, 3);
  assert.equal(fold(mine, { method: "thread/name/updated", params: { threadId: "t", threadName: "n" } }), mine);
});

test("deltas after a missed start are shown, a command's output only with its command", () => {
  const view = fold(emptyView, { method: "item/agentMessage/delta", params: { ...where, itemId: "a", delta: "late" } });
  assert.deepEqual(view.turns[0]?.items, [{ type: "agentMessage", id: "a", text: "late" }]);
  const output = fold(emptyView, { method: "item/commandExecution/outputDelta", params: { ...where, itemId: "c", delta: "x" } });
  assert.deepEqual(output.turns[0]?.items, []);
});

test("an item that is started again keeps the text streamed so far", () => {
  const item = { type: "agentMessage" as const, id: "a", text: "" };
  const delta: ServerNotification = { method: "item/agentMessage/delta", params: { ...where, itemId: "a", delta: "Hi" } };
  assert.deepEqual(fold(emptyView, started, itemStarted(item), delta, itemStarted(item)).turns[0]?.items, [{ ...item, text: "Hi" }]);
});

test("no index makes a list too long, and output does not grow without limit", () => {
  const reason = (summaryIndex: number): ServerNotification => ({
    method: "item/reasoning/summaryTextDelta",
    params: { ...where, itemId: "r", summaryIndex, delta: "." },
  });
  const [item] = fold(emptyView, reason(0), reason(1e9), reason(-1), reason(Number.NaN)).turns[0]?.items ?? [];
  assert.deepEqual(item?.type === "reasoning" && item.summary, ["...."]);
  const command = { type: "commandExecution", id: "c", command: "yes", cwd: "/", status: "inProgress", commandActions: [] } as const;
  const much: ServerNotification = {
    method: "item/commandExecution/outputDelta",
    params: { ...where, itemId: "c", delta: "y".repeat(150_000) },
  };
  const [shown] = fold(emptyView, started, itemStarted(command as unknown as ThreadItem), much, much, much).turns[0]?.items ?? [];
  assert.equal(shown?.type === "commandExecution" && shown.aggregatedOutput?.length, 200_002);
});

test("the end of a turn closes its open items, and received items stay", () => {
  const command = { type: "commandExecution", id: "c", command: "yes", cwd: "/", status: "inProgress", commandActions: [] };
  const ended: ServerNotification = { method: "turn/completed", params: { threadId: "t", turn: turn("1", { status: "interrupted" }) } };
  const [shown] = fold(emptyView, started, itemStarted(command as unknown as ThreadItem), ended).turns[0]?.items ?? [];
  assert.equal(shown?.type === "commandExecution" && shown.status, "failed");
});
