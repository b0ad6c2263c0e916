import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clean, cleanLine, cleanOutput, expandTabs, visible } from "./clean.ts";

test("escape sequences, controls and direction marks never get through", () => {
  assert.equal(clean("a\u001b[2Jb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d"), "abcd");
  assert.equal(clean("a\u009b31mb\u0007\u0008\u007f"), "ab");
  assert.equal(clean("x\u202eevil\u2066\ufeff"), "xevil");
  assert.equal(clean("one\r\ntwo\u2028three"), "one\ntwo\nthree");
});

test("whatever comes in, nothing comes out that a terminal would obey", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("\u001b", "[", "]", "2", "J", "m", ";", "\u0007", "\u009b", "\\", "a", "\r", "\n", "P", "\u202e"),
  });
  fc.assert(
    fc.property(hostile, (text) => {
      for (const made of [clean(text), cleanOutput(text), visible(text), cleanLine(text)])
        assert.doesNotMatch(made, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

test("what is asked about is spelled out instead of cleaned", () => {
  assert.equal(visible("rm \u202e-rf\u200b \u001b[8mx\r"), "rm \\u{202e}-rf\\u{200b} \\e[8mx\\r");
  assert.equal(visible("plain\ttext\nlines äö"), "plain\ttext\nlines äö");
});

test("a line that was written over shows what was written last", () => {
  assert.equal(cleanOutput("10%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
  assert.equal(cleanOutput("progress\r"), "progress");
});

test("tabs go to the next stop, and lines can be made one", () => {
  assert.equal(expandTabs("a\tb", 4), "a   b");
  assert.equal(expandTabs("\tx", 8), "        x");
  assert.equal(cleanLine("a\n\tb"), "a b");
});
