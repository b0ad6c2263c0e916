import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cut, graphemes, shorten, shortenMiddle, textWidth } from "./width.ts";

test("letters, wide letters, emoji and combined marks", () => {
  const widths: readonly (readonly [string, number])[] = [
    ["abc", 3],
    ["日本", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["🎉", 2],
    ["👨‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["한글", 4],
    ["ﬁ✔→", 3],
    ["", 0],
  ];
  for (const [text, width] of widths) assert.equal(textWidth(text), width, text);
});

test("cutting never gives more than fits, nor half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
      const part = cut(text, width);
      assert.ok(textWidth(part) <= width);
      assert.ok(text.startsWith(part));
      assert.ok(textWidth(shorten(text, width)) <= width);
      assert.ok(textWidth(shortenMiddle(text, width)) <= width);
      assert.deepEqual(graphemes(text).slice(0, graphemes(part).length).join(""), part);
    }),
  );
});

test("the ends of a path stay", () => {
  assert.equal(shortenMiddle("/home/user/projects/thing/src/main.ts", 20), "/home/…g/src/main.ts");
  assert.equal(shorten("abcdef", 4), "abc…");
});
