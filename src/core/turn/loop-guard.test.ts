import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelItem } from "../ports/model-client.ts";
import { LoopGuard } from "./loop-guard.ts";

const call = (args: string, name = "exec_command"): ModelItem => ({ type: "function_call", call_id: "c", name, arguments: args });
const output = (text: string): ModelItem => ({ type: "function_call_output", call_id: "c", output: text });

/** Runs steps and returns those after which a loop was suspected. */
function loopsFound(steps: readonly (readonly [string, string, number?])[], tool?: string): number[] {
  const guard = new LoopGuard(1000);
  return steps.flatMap(([args, text, ms = 10], i) => {
    guard.noteStep([call(args, tool)], [output(text)], ms);
    return guard.findLoop() === undefined ? [] : [i + 1];
  });
}

describe("the guard against loops", () => {
  it("suspects the third of the same calls with the same results, however long they took", () => {
    assert.deepEqual(
      loopsFound([
        ["a", "Wall time: 0.1 seconds\nx"],
        ["a", "Wall time: 0.2 seconds\nx"],
        ["a", "Wall time: 0.3 seconds\nx"],
      ]),
      [3],
    );
  });
  it("suspects loops of two and three steps", () => {
    const round = (...names: string[]) => [...names, ...names, ...names].map((name) => [name, `of ${name}`] as const);
    assert.deepEqual(loopsFound(round("a", "b")), [6]);
    assert.deepEqual(loopsFound(round("a", "b", "c")), [9]);
    assert.deepEqual(loopsFound(round("a", "b", "c", "d")), [], "a longer one is left to the limit of requests");
  });
  it("ignores work that repeats a test between edits, gets different results, or waits", () => {
    const edits = [1, 2, 3, 4].flatMap((n) => [["npm test", "1 failed"] as const, [`edit ${n}`, "done"] as const]);
    assert.deepEqual(loopsFound(edits), []);
    assert.deepEqual(
      loopsFound([
        ["a", "1"],
        ["a", "2"],
        ["a", "3"],
        ["a", "1"],
      ]),
      [],
    );
    assert.deepEqual(loopsFound(Array.from({ length: 9 }, () => ["sleep 30; check", "not yet", 30_000] as const)), []);
    assert.deepEqual(
      loopsFound(
        Array.from({ length: 9 }, () => ['{"session_id":1}', "running"] as const),
        "write_stdin",
      ),
      [],
    );
  });
  it("resets with new input and with a yes, and counts requests up to the limit", () => {
    const guard = new LoopGuard(2);
    const step = (): void => guard.noteStep([call("a")], [output("x")], 1);
    for (let i = 0; i < 3; i++) step();
    assert.match(guard.findLoop() ?? "", /same call/);
    guard.noteWords();
    assert.equal(guard.findLoop(), undefined);
    for (let i = 0; i < 2; i++) guard.countRequest();
    assert.match(guard.findLoop() ?? "", /2 model requests/);
    guard.goOn();
    assert.equal(guard.findLoop(), undefined);
    for (let i = 0; i < 2; i++) guard.countRequest();
    assert.match(guard.findLoop() ?? "", /4 model requests/);
  });
});
