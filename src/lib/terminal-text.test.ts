import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clean, cleanLine, cleanOutput, expandTabs, spelledLine, spelledOut, terminalJson } from "./terminal-text.ts";

test("escape sequences, control characters and direction marks are removed", () => {
  assert.equal(clean("a\u001b[2Jb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d"), "abcd");
  assert.equal(clean("a\u009b31mb\u0007\u0008\u007f"), "ab");
  assert.equal(clean("x\u202eevil\u2066\ufeff"), "xevil");
  assert.equal(clean("one\r\ntwo\u2028three"), "one\ntwo\nthree");
});

test("whatever the input, the output contains nothing that controls a terminal", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("\u001b", "[", "]", "2", "J", "m", ";", "\u0007", "\u009b", "\\", "a", "\r", "\n", "P", "\u202e"),
  });
  fc.assert(
    fc.property(hostile, (text) => {
      for (const made of [clean(text), cleanOutput(text), spelledOut(text), cleanLine(text)])
        assert.doesNotMatch(made, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

test("text to approve is escaped instead of cleaned", () => {
  assert.equal(spelledOut("rm \u202e-rf\u200b \u001b[8mx\r"), "rm \\u{202e}-rf\\u{200b} \\e[8mx\\r");
  assert.equal(spelledOut("plain\ttext\nlines äö"), "plain\ttext\nlines äö");
});

test("invisible and confusable characters are escaped; letters of every script and emoji stay", () => {
  for (const [text, shown] of [
    ["ls\u2003-la", "ls\\u{2003}-la"],
    ["a\u2800b\u3164c\ufe00d\u{e0100}e\u{1d173}f\ue000g", "a\\u{2800}b\\u{3164}c\\u{fe00}d\\u{e0100}e\\u{1d173}f\\u{e000}g"],
    ["/\u0338etc", "/\\u{338}etc"],
    ["\ud800", "\\u{d800}"],
    ["ünïcödé e\u0301 编辑器 עִבְרִית ✔️ 👩 #", "ünïcödé e\u0301 编辑器 עִבְרִית ✔️ 👩 #"],
  ] as const)
    assert.equal(spelledOut(text), shown);
  assert.equal(spelledLine("a\n\tb"), "a\\n\\tb");
});

test("stacked combining marks are cut, and escaped in text to approve", () => {
  const heap = `a${"\u0301".repeat(5000)}b`;
  assert.equal(clean(heap), `a${"\u0301".repeat(8)}b`);
  assert.equal(spelledOut(heap).split("\\u{301}").length, 5000 - 8 + 1);
});

test("JSON for a terminal has the same value and contains nothing that controls it", () => {
  const value = { a: "\u009b6n\u202e\u007f\u2028\ufeff", "\u009d": [1, null] };
  assert.deepEqual(JSON.parse(terminalJson(value)), value);
  assert.doesNotMatch(terminalJson(value, 2), /[\u007f-\u009f\u202e\u2028\ufeff]/);
  assert.equal(terminalJson(undefined), "null");
});

test("an overwritten line shows what was written last", () => {
  assert.equal(cleanOutput("10%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
  assert.equal(cleanOutput("progress\r"), "progress");
});

test("tabs expand to the next stop, and lines can be joined", () => {
  assert.equal(expandTabs("a\tb", 4), "a   b");
  assert.equal(expandTabs("\tx", 8), "        x");
  assert.equal(cleanLine("a\n\tb"), "a b");
});
