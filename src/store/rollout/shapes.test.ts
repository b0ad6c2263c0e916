import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { isSame } from "./shapes.ts";

test("two values of JSON are the same exactly where Node's comparison says so", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
      assert.equal(isSame(one, structuredClone(one)), true);
      assert.equal(isSame(one, other), isDeepStrictEqual(one, other));
    }),
  );
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [
      { a: 1, b: [2, { c: null }] },
      { b: [2, { c: null }], a: 1 },
    ],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [[1, 2], { 0: 1, 1: 2 }],
    [[1], [1, undefined]],
    [{ a: {} }, { a: [] }],
    [null, {}],
    [0, -0],
  ];
  for (const [one, other] of pairs) assert.equal(isSame(one, other), isDeepStrictEqual(one, other), JSON.stringify([one, other]));
  assert.equal(isSame(new Date(0), new Date(0)), false, "what is no JSON is written down, not left out");
});
