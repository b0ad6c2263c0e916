import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadItem } from "../../protocol/item.ts";
import { entriesOf, foldOutput } from "./item-entries.ts";

const only = (item: ThreadItem) => entriesOf(item)[0];

test("tool calls show name, arguments and the beginning of the result", () => {
  const call: ThreadItem = {
    type: "mcpToolCall",
    id: "1",
    server: "docs",
    tool: "search",
    arguments: { q: "a\u001b[2J" },
    status: "completed",
    result: { content: [{ type: "text", text: "found\nit" }, { type: "image" }] },
  };
  assert.deepEqual(only(call), {
    kind: "tool",
    title: "Called docs.search",
    detail: '{"q":"a\\u001b[2J"}',
    result: "done",
    output: { head: ["found", "it", "<image>"], hidden: 0, tail: [] },
  });
  const failed = only({ ...call, status: "failed", error: { message: "no" } } as ThreadItem);
  assert.ok(failed?.kind === "tool" && failed.result === "failed" && failed.output.head[0] === "no");
});

test("what the person attached is named", () => {
  const entry = only({
    type: "userMessage",
    id: "1",
    content: [
      { type: "text", text: "look " },
      { type: "localImage", path: "/x/pic.png" },
      { type: "skill", name: "greet", path: "/s" },
    ],
  });
  assert.deepEqual(entry, { kind: "user", text: "look", attachments: ["pic.png", "$greet"] });
});

test("thoughts are shown by their summary, and themselves where there is none", () => {
  const thought = (summary: readonly string[]) => only({ type: "reasoning", id: "1", summary: [...summary], content: ["hm", "well"] });
  assert.deepEqual(thought(["In short"]), { kind: "reasoning", text: "In short", isRaw: false });
  assert.deepEqual(thought([]), { kind: "reasoning", text: "hm\n\nwell", isRaw: true });
});

test("empty and unknown items print nothing", () => {
  assert.deepEqual(entriesOf({ type: "reasoning", id: "1", summary: [] }), []);
  assert.deepEqual(entriesOf({ type: "reasoning", id: "1", summary: [], content: [" "] }), []);
  assert.deepEqual(entriesOf({ type: "agentMessage", id: "1", text: "" }), []);
  assert.deepEqual(entriesOf({ type: "fileChange", id: "1", changes: [], status: "completed" }), []);
  assert.deepEqual(entriesOf({ type: "fromTheFuture", id: "1" } as unknown as ThreadItem), []);
});

test("searches, reviews, compaction and sub-agents have their texts", () => {
  const titles = (
    [
      { type: "webSearch", id: "1", query: "node" },
      { type: "imageView", id: "1", path: "/a.png" },
      {
        type: "collabAgentToolCall",
        id: "1",
        agentsStates: {},
        receiverThreadIds: [],
        senderThreadId: "",
        status: "completed",
        tool: "spawnAgent",
        prompt: "do",
      },
    ] satisfies ThreadItem[]
  ).map((item) => {
    const entry = only(item);
    return entry?.kind === "tool" ? `${entry.title} ${entry.detail}` : "";
  });
  assert.deepEqual(titles, ["Searched the web node", "Looked at /a.png", "Started a sub-agent do"]);
  assert.equal(only({ type: "contextCompaction", id: "1" })?.kind, "note");
  assert.equal(entriesOf({ type: "exitedReviewMode", id: "1", review: "All *good*" }).length, 2);
});

test("output is folded in the middle and cleaned", () => {
  assert.deepEqual(foldOutput("", false), { head: [], hidden: 0, tail: [] });
  assert.deepEqual(foldOutput("a\r\u001b[31mb\n\n\n", false), { head: ["b"], hidden: 0, tail: [] });
  assert.equal(foldOutput("x\n".repeat(100), true).hidden, 50);
});
