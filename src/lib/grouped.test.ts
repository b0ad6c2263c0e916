import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped } from "./grouped.ts";

test("numbers are grouped as Intl groups them", () => {
  for (const n of [0, 7, 999, 1000, -1, -999, -1000, 12_345, 272_000, 1_048_576, -1_234_567, 9_007_199_254_740_991])
    assert.equal(grouped(n), n.toLocaleString("en-US"));
});
