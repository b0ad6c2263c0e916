/** How tests clean up, checked with fake test contexts. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { atEnd, type Ending, endedWith } from "./support/ending.ts";

/** Runs the steps as a test runner does: in the order they were added, until one fails. */
function standIn(): Ending & { end(): Promise<void> } {
  const steps: (() => unknown)[] = [];
  return {
    after: (step) => void steps.push(step),
    end: async () => {
      for (const step of steps) await step();
    },
  };
}

test("the newest step comes first, each is awaited, and a failing one does not keep the others from running", async () => {
  const t = standIn();
  const done: string[] = [];
  atEnd(t, () => done.push("folder"));
  atEnd(t, async () => {
    await new Promise(setImmediate);
    done.push("program");
  });
  atEnd(t, () => {
    throw new Error("no such connection");
  });
  await assert.rejects(t.end(), /no such connection/);
  assert.deepEqual(done, ["program", "folder"]);
});

test("a process is gone when the step is over, even if it had already exited", async () => {
  const t = standIn();
  const children = ["setInterval(() => {}, 1000)", "0"].map((code) => spawn(process.execPath, ["-e", code], { stdio: "ignore" }));
  for (const child of children) endedWith(t, child);
  await new Promise((resolve) => children[1]?.once("exit", resolve));
  await t.end();
  assert.deepEqual(
    children.map(({ exitCode, signalCode }) => exitCode ?? signalCode),
    ["SIGKILL", 0],
  );
});
