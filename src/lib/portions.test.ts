import assert from "node:assert/strict";
import { test } from "node:test";
import { Portions } from "./portions.ts";

test("a burst is done in its order, and what else is due is done in between", async () => {
  const portions = new Portions();
  const done: number[] = [];
  const over = Promise.withResolvers<void>();
  const busy = (ms: number): void => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };
  let other = 0;
  const timer = setInterval(() => other++, 1);
  for (let i = 0; i < 30; i++)
    portions.add(() => {
      done.push(i);
      Promise.resolve().then(() => busy(4)); // as a request that goes on after its first step
      if (i === 29) over.resolve();
    });
  assert.deepEqual(done, [0], "the first one does not wait");
  await over.promise;
  clearInterval(timer);
  assert.deepEqual(
    done,
    Array.from({ length: 30 }, (_, i) => i),
  );
  assert.ok(other >= 5, `${other} timers in 120 ms of work`);
});
