import assert from "node:assert/strict";
import { test } from "node:test";
import { createNotifier } from "./notifier.ts";

test("a notice longer than any program can be given costs a line in the log, and no more", () => {
  const lines: string[] = [];
  const log = { warn: (message: string) => void lines.push(message) };
  const notifier = createNotifier(log as never, process.env);
  const notice = { type: "agent-turn-complete", cwd: "/", threadId: "t", turnId: "1", lastAssistantMessage: "x".repeat(3_000_000) };
  assert.doesNotThrow(() => notifier.notify({ notify: ["true"] } as never, notice as never));
  assert.deepEqual(lines, ["the notify program could not be started"]);
});
