import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeptBytes } from "./kept-bytes.ts";

const limit = 264; // 100 bytes at either end

test("for any chunk sizes, the beginning and the end are kept, and no text exceeds the limit", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 350 }), { maxLength: 12 }), (pieces) => {
      const kept = new KeptBytes(limit);
      const ascii = pieces.map((piece) => piece.map((byte) => 33 + (byte % 90)));
      for (const piece of ascii) {
        kept.push(piece);
        piece.fill(0); // the caller reuses its buffer
      }
      const all = Buffer.concat(pieces.map((piece) => piece.map((byte) => 33 + (byte % 90)))).toString();
      const text = kept.text();
      assert.equal(kept.total, all.length);
      assert.ok(text.length <= limit);
      if (all.length <= 200) assert.equal(text, all);
      else assert.equal(text, `${all.slice(0, 100)}\n[${all.length - 200} bytes left out]\n${all.slice(-100)}`);
    }),
  );
});

test("successive reads return everything exactly once, and split no character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 7 }), (text, step) => {
      const bytes = Buffer.from(text.toWellFormed());
      const kept = new KeptBytes(limit * 10);
      let seen = "";
      let from = 0;
      for (let at = 0; at < bytes.length; at += step) {
        kept.push(bytes.subarray(at, at + step));
        seen += kept.text(from, kept.wholeUntil);
        from = kept.wholeUntil;
      }
      assert.equal(seen, text.toWellFormed());
    }),
    { numRuns: 30 },
  );
});

test("characters that the gap cuts in half are left out with it", () => {
  const kept = new KeptBytes(limit);
  kept.push(Buffer.from("é".repeat(49) + "€".repeat(100) + "é".repeat(49)));
  const [head = "", , tail = ""] = kept.text().split("\n");
  assert.equal(head, "é".repeat(49));
  assert.equal(tail, "é".repeat(49));
});
