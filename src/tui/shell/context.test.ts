import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadItem } from "../../protocol/item.ts";
import { contextRows } from "./context.ts";

const count = (totalTokens: number) => ({
  totalTokens,
  inputTokens: totalTokens,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
});
const usage = (total: number, modelContextWindow: number | null = 10_000) => ({
  total: count(total),
  last: count(total),
  modelContextWindow,
});
const message = (characters: number): ThreadItem => ({
  type: "userMessage",
  id: "u",
  content: [{ type: "text", text: "x".repeat(characters), text_elements: [] }],
});
const answer = (characters: number): ThreadItem => ({ type: "agentMessage", id: "a", text: "x".repeat(characters) });

test("the parts by size, the rest as instructions, and what is left of the window", () => {
  const rows = contextRows([message(400), answer(4000)], usage(2500));
  assert.deepEqual(rows, [
    ["instructions", "  1.4k  14%  ###....................."],
    ["answers", "  1.0k  10%  ##......................"],
    ["your messages", "   100   1%  ........................"],
    ["in all", "  2.5k  25%  ######.................."],
    ["left", "  7.5k  75%  ##################......"],
  ]);
});

test("what was summed up does not count, and estimates never exceed the sum", () => {
  const compaction: ThreadItem = { type: "contextCompaction", id: "c" };
  const rows = contextRows([message(40_000), compaction, answer(8000)], usage(1000, null));
  assert.deepEqual(
    rows.map(([kind, text]) => [kind, text.trim().split(" ")[0]]),
    [
      ["answers", "1.0k"],
      ["in all", "1.0k"],
    ],
  );
});
