/** Work at a pace: others have their turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPace } from "./pace.ts";

test("work at a pace waits only after its stretch, and then lets others have their turn", async () => {
  const unhurried = createPace(60_000);
  assert.equal(unhurried(), undefined);
  const pace = createPace(0, 3);
  assert.deepEqual([pace(), pace()], [undefined, undefined]);
  let others = false;
  setImmediate(() => {
    others = true;
  });
  const waiting = pace();
  assert.ok(waiting instanceof Promise);
  await waiting;
  assert.equal(others, true);
});
