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
