import assert from "node:assert/strict";
import { test } from "node:test";
import { hasPassed, isBefore } from "./passed.ts";

const day = 86_400_000;

test("a wait ends on time, and at once when the clock is set back or far ahead", () => {
  assert.deepEqual(
    [0, 999, 1000, -1, -day, 365 * day].map((ms) => hasPassed(day, 1000, day + ms)),
    [false, false, true, true, true, true],
  );
  assert.deepEqual(
    [0, 999, 1000, -1, -day, 365 * day].map((ms) => isBefore(day + 1000, 1000, day + ms)),
    [true, true, false, false, false, false],
  );
  assert.ok(hasPassed(Number.NEGATIVE_INFINITY, 1000, 0));
});
