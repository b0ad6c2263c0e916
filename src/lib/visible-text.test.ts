import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { visibleLine, visibleText } from "./visible-text.ts";

test("hidden, control and direction characters are removed; letters of every script stay", () => {
  assert.equal(visibleText("a\u001b[31mb\u0000\u202ec\u200bd\u{e0041}e\u2028f\r\n\tg", 100), "a[31mbcdef\n\tg");
  for (const text of ["Übersicht", "编辑器", "محرر", "👩 🚀"]) assert.equal(visibleText(text, 100), text);
});

test("a name is one line", () => {
  assert.equal(visibleLine(" VS\nCode\t2\r\n", 100), "VS Code 2");
});

test("no result is longer than the limit plus a marker, has half a character, or a control character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.nat(30), (text, max) => {
      const line = visibleLine(text, max);
      assert.ok(line.length <= max + 1 && line.isWellFormed());
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});
