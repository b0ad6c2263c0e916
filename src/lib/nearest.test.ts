import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { editDistance, nearest } from "./nearest.ts";

const words = ["app-server", "exec", "mcp-server", "manager", "mcp", "doctor", "login", "logout", "threads"];

for (const [word, meant] of [
  ["app-sever", "app-server"],
  ["appserver", "app-server"],
  ["exce", "exec"],
  ["EXEC", "exec"],
  ["docter", "doctor"],
  ["thread", "threads"],
  ["lgoin", "login"],
  ["server", "app-server"],
  ["man", "manager"],
] as const)
  test(`${word} means ${meant}`, () => assert.equal(nearest(word, words), meant));

for (const word of ["", "x", "zebra", "explain the failing test"])
  test(`'${word}' means nothing`, () => assert.equal(nearest(word, words), undefined));

test("a distance is symmetric, zero only for equal words, and bounded by the longer word", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b);
      assert.equal(distance, editDistance(b, a));
      assert.equal(distance === 0, a === b);
      assert.ok(distance <= Math.max(a.length, b.length) && distance >= Math.abs(a.length - b.length));
    }),
  );
});
