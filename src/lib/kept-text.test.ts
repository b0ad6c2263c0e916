import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeptText } from "./kept-text.ts";

test("up to its limit a text is the sum of its pieces; above it the beginning, and a note about the rest", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 20 }), fc.nat(40), (pieces, max) => {
      const kept = new KeptText(max);
      for (const piece of pieces) kept.add(piece);
      const whole = pieces.join("");
      assert.equal(kept.isEmpty, whole === "");
      assert.equal(kept.isCut, whole.length > max);
      const end = `\n[${whole.length - max} more characters were not kept]`;
      assert.equal(kept.toString(), whole.length <= max ? whole : `${whole.slice(0, max).toWellFormed()}${end}`);
    }),
  );
});

test("an endless text takes no more memory than its limit", () => {
  const kept = new KeptText(1000);
  for (let i = 0; i < 100_000; i++) kept.add("x".repeat(100));
  assert.ok(kept.toString().length < 1100);
});
