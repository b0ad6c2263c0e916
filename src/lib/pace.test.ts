/** Long work yields to other work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPace } from "./pace.ts";

test("paced work yields only after its interval, and then other work runs", async () => {
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
