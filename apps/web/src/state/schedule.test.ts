import assert from "node:assert/strict";
import { test } from "node:test";
import { cronOf, dayTimeOf, inWords } from "./schedule.ts";

test("days and a time become a cron expression and come back", () => {
  for (const [days, time, cron, words] of [
    [[1, 2, 3, 4, 5], "09:00", "0 9 * * 1,2,3,4,5", "Every weekday at 09:00 (UTC)"],
    [[0, 1, 2, 3, 4, 5, 6], "00:05", "5 0 * * *", "Every day at 00:05 (UTC)"],
    [[6, 0], "23:59", "59 23 * * 0,6", "Every weekend day at 23:59 (UTC)"],
    [[3, 0], "07:30", "30 7 * * 0,3", "Every Wednesday, Sunday at 07:30 (UTC)"],
  ] as const) {
    assert.equal(cronOf({ days, time }), cron);
    assert.deepEqual(dayTimeOf(cron), { days: [...days].sort((a, b) => a - b), time });
    assert.equal(inWords(cron, "UTC"), words);
  }
});

test("ranges and Sunday as 7 are understood, and what says more stays a cron expression", () => {
  assert.deepEqual(dayTimeOf("0 9 * * 1-5")?.days, [1, 2, 3, 4, 5]);
  assert.deepEqual(dayTimeOf("0 9 * * 5-7")?.days, [0, 5, 6]);
  for (const cron of ["*/10 * * * *", "0 9 1 * *", "0 9 * * MON", "99 9 * * 1", "0 9 * *"]) assert.equal(dayTimeOf(cron), undefined, cron);
  assert.equal(inWords("0 9 1 * *", "UTC"), "cron 0 9 1 * * (UTC)");
});
