import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadItem } from "../../protocol/item.ts";
import { quoteCommand } from "../../shell/quote.ts";
import { coreFromItem, itemFromCore } from "./core-items.ts";

const ran = (command: string): ThreadItem => ({
  type: "commandExecution",
  id: "c1",
  command,
  cwd: "/ws",
  processId: null,
  source: "agent",
  status: "completed",
  commandActions: [],
  aggregatedOutput: "",
  exitCode: 0,
  durationMs: 1,
});

test("a command is stored as its arguments, and shown again unchanged", () => {
  for (const argv of [
    ["bash", "-lc", `echo "it's"`],
    ["bash", "-lc", "a=1 && echo ^x \\ \n y"],
    ["ls", "", "a,b", "a=b"],
  ]) {
    const stored = coreFromItem(ran(quoteCommand(argv)));
    assert.deepEqual(stored["command"], argv);
    const shown = itemFromCore(stored);
    assert.equal(shown?.type === "commandExecution" && shown.command, quoteCommand(argv));
  }
});

test("a line with an unclosed quote is stored as one argument", () => {
  assert.deepEqual(coreFromItem(ran("echo 'cut off"))["command"], ["echo 'cut off"]);
});

test("a picture that was not made keeps its reason and its id", () => {
  const failed: ThreadItem = {
    type: "imageGeneration",
    id: "g1",
    status: "failed",
    result: "",
    revisedPrompt: null,
    savedPath: null,
    generationId: "gen-1",
    failure: { type: "usageLimitExceeded", limitId: "images", resetsAt: 7 },
  };
  assert.deepEqual(itemFromCore(coreFromItem(failed)), failed);
  const stored = { type: "ImageGeneration", id: "g1", status: "failed", generation_id: "gen-1" };
  const failure = { type: "usage_limit_exceeded", limit_id: "images", resets_at: 7 };
  assert.deepEqual(itemFromCore({ ...stored, failure }), failed);
  const { failure: _, ...plain } = failed;
  assert.deepEqual(itemFromCore({ ...stored, failure: { type: "unheard_of" } }), plain);
});
