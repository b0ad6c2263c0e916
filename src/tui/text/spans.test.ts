import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Line, line, lineText, lineWidth, padded, span, truncate, wrap } from "./spans.ts";

const anyLine = fc
  .array(fc.string({ unit: fc.constantFrom("a", "b", " ", "日", "é", "-") }), { maxLength: 6 })
  .map((texts): Line => texts.map((text) => span(text, { bold: true })));

test("wrapped lines fit and lose nothing but spaces", () => {
  fc.assert(
    fc.property(anyLine, fc.integer({ min: 2, max: 12 }), (of, width) => {
      const lines = wrap(of, width);
      for (const one of lines) assert.ok(lineWidth(one) <= width, JSON.stringify(lines));
      const letters = (text: string): string => text.replace(/\s/g, "");
      assert.equal(letters(lines.map(lineText).join("")), letters(lineText(of)));
    }),
  );
});

test("lines break between words, and words that change their style in the middle stay together", () => {
  assert.deepEqual(wrap(line("one two three"), 8).map(lineText), ["one two", "three"]);
  assert.deepEqual(wrap([span("aa "), span("bb"), span("cc", { bold: true }), span(" dd")], 5).map(lineText), ["aa", "bbcc", "dd"]);
  assert.deepEqual(wrap(line("  indented text"), 10).map(lineText), ["  indented", "text"]);
  assert.deepEqual(wrap(line("abcdefgh"), 3).map(lineText), ["abc", "def", "gh"]);
});

test("truncated lines are marked, padded ones reach the width", () => {
  assert.equal(lineText(truncate(line("abcdef"), 4)), "abc…");
  assert.equal(lineText(truncate(line("abc"), 4)), "abc");
  assert.equal(lineText(padded(line("ab"), 4)), "ab  ");
});
