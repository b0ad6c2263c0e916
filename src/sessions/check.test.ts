import assert from "node:assert/strict";
import { test } from "node:test";
import { problemIn } from "./check.ts";

const thread = {
  id: "t",
  preview: "",
  modelProvider: "p",
  createdAt: 1,
  updatedAt: 1,
  cwd: "/",
  cliVersion: "0",
  source: "cli",
  turns: [],
};
const item = { type: "agentMessage", id: "a", text: "" };

test("fields that older engines do not send may be missing; others may not", () => {
  assert.equal(problemIn("notification", "thread/started", { thread }), undefined);
  assert.equal(problemIn("notification", "item/started", { threadId: "t", turnId: "u", item }), undefined);
  assert.match(problemIn("notification", "item/started", { turnId: "u", item }) ?? "", /threadId/);
  assert.match(
    problemIn("notification", "item/started", { threadId: "t", turnId: "u", item: { type: "agentMessage", text: "" } }) ?? "",
    /id/,
  );
  assert.match(problemIn("notification", "thread/started", { thread: { ...thread, status: "busy" } }) ?? "", /status/);
  assert.match(problemIn("notification", "item/agentMessage/delta", { threadId: "t", turnId: "u", itemId: "a" }) ?? "", /delta/);
});

test("responses are validated against the method's result, unknown methods and fields pass", () => {
  assert.equal(problemIn("result", "turn/start", { turn: { id: "u", status: "inProgress", items: [], later: 1 } }), undefined);
  assert.match(problemIn("result", "turn/start", { turn: { status: "inProgress", items: [] } }) ?? "", /id/);
  assert.match(problemIn("result", "thread/turns/list", null) ?? "", /./);
  for (const kind of ["notification", "request", "result"] as const) {
    assert.equal(problemIn(kind, "a/method/of/tomorrow", 7), undefined);
    assert.equal(problemIn(kind, "constructor", 7), undefined);
    assert.match(problemIn(kind, "m".repeat(201), {}) ?? "", /201 characters/);
  }
});
