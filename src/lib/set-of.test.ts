import assert from "node:assert/strict";
import { test } from "node:test";
import { setOf } from "./set-of.ts";

test("names of several lines are one set", () => {
  assert.deepEqual([...setOf("one")], ["one"]);
  assert.deepEqual([...setOf(`one two\n   three four\n five`)], ["one", "two", "three", "four", "five"]);
});
