import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { shortDigest } from "./short-digest.ts";

test("the digest is SHA-256, at every length around a block and for any text", () => {
  const right = (text: string): string => createHash("sha256").update(text).digest("hex");
  for (let length = 0; length < 200; length++) assert.equal(shortDigest("é".repeat(length)), right("é".repeat(length)));
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => assert.equal(shortDigest(text), right(text))));
});
