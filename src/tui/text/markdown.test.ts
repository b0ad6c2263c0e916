import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { highlight } from "./code.ts";
import { markdownLines } from "./markdown.ts";
import { lineText, lineWidth } from "./spans.ts";

const drawn = (text: string, width = 60): string[] => markdownLines(text, width).map(lineText);

test("headings, lists, quotes, code and rules", () => {
  assert.deepEqual(drawn("# One\n\n- a\n- b\n  - c\n\n3. x\n4. y\n\n> q\n\n```js\nconst a;\n```\n\n---"), [
    "One",
    "",
    "• a",
    "• b",
    "  • c",
    "",
    "3. x",
    "4. y",
    "",
    "│ q",
    "",
    "  const a;",
    "",
    "─".repeat(40),
  ]);
  assert.deepEqual(drawn("- [x] done\n- [ ] open"), ["• ☑ done", "• ☐ open"]);
});

test("a link shows its target", () => {
  assert.deepEqual(drawn("[bank](https://evil.example)"), ["bank (https://evil.example)"]);
  assert.deepEqual(drawn("<https://a.example>"), ["https://a.example"]);
});

test("long items have a hanging indent, and line breaks are kept", () => {
  assert.deepEqual(drawn("- one two three four", 12), ["• one two", "  three four"]);
  assert.deepEqual(drawn("a\nb"), ["a", "b"]);
});

test("columns of a table are aligned as it says", () => {
  const table = "| Name | Price | Mid |\n|:--|--:|:-:|\n| pear | 5 | x |\n| apple | 1,500 | wide |";
  assert.deepEqual(drawn(table), ["Name   Price  Mid", "──────────────────", "pear       5   x", "apple  1,500  wide"]);
});

test("tables shrink as needed, or become records", () => {
  const table = "| Name | Meaning |\n|---|---|\n| a | the first letter |\n| b | c |";
  assert.deepEqual(drawn(table), ["Name  Meaning", "──────────────────────", "a     the first letter", "b     c"]);
  assert.deepEqual(drawn(table, 16), ["Name  Meaning", "────────────────", "a     the first", "      letter", "b     c"]);
  assert.deepEqual(drawn("| Name | Meaning | More |\n|---|---|---|\n| abcdefghij | bcdefghijk | cdefghijkl |", 10), [
    "Name:",
    "abcdefghij",
    "Meaning:",
    "bcdefghijk",
    "More:",
    "cdefghijkl",
  ]);
});

test("no line is wider than the terminal, whatever the model writes", () => {
  const words = fc.constantFrom(
    "# ",
    "- ",
    "1. ",
    "> ",
    "```\n",
    "| a | b |\n|--|--|\n",
    "**",
    "`",
    "[x](y)",
    "word ",
    "loooooooooooooong",
    "\n",
    "\n\n",
    "日本語",
    "    code\n",
    "<b>",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 25 }), fc.integer({ min: 20, max: 60 }), (parts, width) => {
      for (const line of markdownLines(parts.join(""), width)) assert.ok(lineWidth(line) <= width, lineText(line));
    }),
  );
});

test("colours change nothing about the code", () => {
  for (const language of ["ts", "python", "bash", "json", "nothing", undefined])
    fc.assert(fc.property(fc.string(), (text) => assert.equal(lineText(highlight(text, language)), text)));
  assert.deepEqual(
    highlight('const a = "x"; // y', "ts").map(({ text, style }) => [text, style?.color]),
    [
      ["const", "keyword"],
      [" a = ", undefined],
      ['"x"', "string"],
      ["; ", undefined],
      ["// y", "comment"],
    ],
  );
});
