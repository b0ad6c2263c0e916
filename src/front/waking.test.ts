import assert from "node:assert/strict";
import { test } from "node:test";
import { Waking } from "./waking.ts";

test("what came while the process was stopped waits for a moment, whoever notices the stop first", (t) => {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  let now = 0;
  const waking = new Waking(() => now);
  const done: string[] = [];
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 100) {
      now += 100;
      t.mock.timers.tick(100);
    }
  };
  waking.run(() => done.push("at once"));
  assert.deepEqual(done.splice(0), ["at once"]);
  // Stopped: the clock goes on and nothing else does. A message is the first thing that happens then.
  now += 5000;
  waking.run(() => done.push("first"));
  waking.run(() => done.push("second"));
  assert.equal(done.length, 0);
  pass(100);
  assert.deepEqual(done.splice(0), ["first", "second"]);
  pass(3000);
  waking.run(() => done.push("at once again"));
  assert.deepEqual(done.splice(0), ["at once again"]);
  // Or a timer is.
  now += 5000;
  t.mock.timers.tick(500);
  waking.run(() => done.push("after the tick"));
  assert.equal(done.length, 0);
  pass(100);
  assert.deepEqual(done, ["after the tick"]);
  waking.close();
});
