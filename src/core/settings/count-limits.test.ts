import assert from "node:assert/strict";
import { test } from "node:test";
import { fewAtATime } from "./count-limits.ts";

test("work runs a few at a time, in order; a failure is thrown after all have ended", async () => {
  let running = 0;
  let most = 0;
  const begun: number[] = [];
  const work = async (n: number): Promise<void> => {
    begun.push(n);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (n === 3) throw new Error("the third");
  };
  const list = Array.from({ length: 50 }, (_, i) => i);
  await assert.rejects(fewAtATime(list, 4, work), /the third/);
  assert.deepEqual([begun, most, running], [list, 4, 0]);
  await fewAtATime([], 4, work);
});
