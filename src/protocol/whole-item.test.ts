import assert from "node:assert/strict";
import { test } from "node:test";
import { problem } from "../lib/schema.ts";
import { ThreadItem } from "./item.ts";
import { wholeItem } from "./whole-item.ts";

test("missing optional fields become null, present ones stay, and the item still matches its schema", () => {
  const message = wholeItem({ type: "agentMessage", id: "m", text: "hi", phase: "final_answer", startedAtMs: 1 });
  assert.deepEqual(message, {
    ...{ type: "agentMessage", id: "m", text: "hi", phase: "final_answer", memoryCitation: null, delivery: null, questions: null },
    ...{ startedAtMs: 1, completedAtMs: null },
  });
  const userMessage = wholeItem({ type: "userMessage", id: "u", content: [{ type: "text", text: "hi" }] });
  assert.deepEqual("content" in userMessage && userMessage.content, [{ type: "text", text: "hi", text_elements: [] }]);
  const bare: ThreadItem[] = [
    { type: "userMessage", id: "u", content: [] },
    { type: "commandExecution", id: "c", command: "ls", commandActions: [], cwd: "/", status: "inProgress" },
    { type: "mcpToolCall", id: "t", arguments: {}, server: "s", status: "inProgress", tool: "t" },
    { type: "dynamicToolCall", id: "d", arguments: {}, status: "inProgress", tool: "t" },
    { type: "webSearch", id: "w", query: "" },
    { type: "contextCompaction", id: "k" },
  ];
  for (const item of bare) {
    assert.equal(problem(ThreadItem(), wholeItem(item)), undefined, item.type);
    assert.equal(Object.values(wholeItem(item)).includes(undefined), false);
  }
});

test("a person's texts and images have their lists and details, given or not", () => {
  const range = { byteRange: { start: 0, end: 1 } };
  const content = [
    { type: "text" as const, text: "a" },
    { type: "text" as const, text: "b", text_elements: [range] },
    { type: "image" as const, url: "data:," },
    { type: "localImage" as const, path: "/p.png", detail: "high" as const },
    { type: "skill" as const, name: "s", path: "/s" },
  ];
  const whole = wholeItem({ type: "userMessage", id: "u", content });
  assert.deepEqual(whole.type === "userMessage" && whole.content, [
    { type: "text", text: "a", text_elements: [] },
    { type: "text", text: "b", text_elements: [range] },
    { type: "image", url: "data:,", detail: null },
    { type: "localImage", path: "/p.png", detail: "high" },
    { type: "skill", name: "s", path: "/s" },
  ]);
  assert.equal(problem(ThreadItem(), whole), undefined);
});
