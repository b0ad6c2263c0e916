import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { requestTarget } from "./request-target.ts";

test("path and query are split unchanged", () => {
  const { path, query } = requestTarget("/api/stream?a=1&b=x%20y#part");
  assert.equal(path, "/api/stream");
  assert.deepEqual(
    [...query],
    [
      ["a", "1"],
      ["b", "x y"],
    ],
  );
  assert.equal(requestTarget("//").path, "//");
  assert.equal(requestTarget(undefined).path, "");
});

test("no text throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const { path, query } = requestTarget(text);
      assert.ok(text.startsWith(path));
      for (const [name, value] of query) assert.ok(typeof name === "string" && typeof value === "string");
    }),
  );
});
