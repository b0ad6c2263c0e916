import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePatch } from "./parse.ts";
import { updateText } from "./update.ts";

function update(original: string, body: string): string {
  const parsed = parsePatch(`*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch`);
  assert.ok("hunks" in parsed, JSON.stringify(parsed));
  const [hunk] = parsed.hunks;
  assert.ok(hunk?.op === "update");
  const updated = updateText(original, hunk.chunks, "f");
  return "text" in updated ? updated.text : `FAILED ${updated.failed}`;
}

test("lines are replaced where the chunk's own lines are found", () => {
  assert.equal(update("a\nb\nc\n", "@@\n a\n-b\n+B\n c"), "a\nB\nc\n");
  assert.equal(update("a\na\na\n", "@@\n-a\n+1\n@@\n-a\n+2"), "1\n2\na\n");
  assert.equal(update("a\nb\n", "@@\n-a\n-b"), "");
});

test("anchors are skipped past, one after another", () => {
  const text = "class A\n  def f\n    x\nclass B\n  def f\n    x\n";
  assert.equal(update(text, "@@ class B\n@@   def f\n-    x\n+    y"), "class A\n  def f\n    x\nclass B\n  def f\n    y\n");
  assert.equal(update("a\n", "@@ nowhere\n-a\n+b"), "FAILED Failed to find context 'nowhere' in f");
});

test("a chunk that only adds goes after its anchor, or to the end of the file", () => {
  assert.equal(update("x\ny\n", "@@ x\n+new"), "x\nnew\ny\n");
  assert.equal(update("x\ny\n", "@@\n+new"), "x\ny\nnew\n");
  assert.equal(update("x\ny\n", "@@ x\n+new\n*** End of File"), "x\ny\nnew\n");
  assert.equal(update("", "@@\n+new"), "new\n");
  assert.equal(update("a\nb\n", "@@\n+tail\n@@\n-a\n+A"), "A\nb\ntail\n");
});

test("spaces and typographic characters are tolerated, and context lines stay as in the file", () => {
  assert.equal(update("  x\n    y \n", "@@\n x\n-y\n+Y"), "  x\nY\n");
  assert.equal(
    update("say \u201chi\u201d \u2013 now\u00a0\nb\n", '@@\n say "hi" - now\n-b\n+c'),
    "say \u201chi\u201d \u2013 now\u00a0\nc\n",
  );
  assert.equal(update("x \nx\n", "@@\n-x\n+y"), "x \ny\n", "the exact line wins over an earlier loose one");
});

test("line endings are preserved", () => {
  assert.equal(update("x\r\ny\r\nz\r\n", "@@\n x\n-y\n+b\n z"), "x\r\nb\r\nz\r\n");
  assert.equal(update("a\nb\r\nc\n", "@@\n-b\n+B\n+BB"), "a\nB\r\nBB\r\nc\n");
  assert.equal(update("x\ny", "@@\n-x\n+b"), "b\ny", "an untouched last line without its end");
  assert.equal(update("x\ny", "@@\n-y\n+z"), "x\nz\n");
  assert.equal(update("x\ny", "@@\n x\n y\n+z"), "x\ny\nz\n");
  assert.equal(update("x\r\ny", "@@\n+z"), "x\r\ny\r\nz\r\n");
  assert.equal(update("\ufeffa\nb\n", "@@\n-a\n+A"), "\ufeffA\nb\n");
});

test("End of File pins the chunk to the last lines", () => {
  assert.equal(update("x\ny\nx\n", "@@\n-x\n+X\n*** End of File"), "x\ny\nX\n");
  assert.match(update("x\ny\n", "@@\n-x\n+X\n*** End of File"), /FAILED Failed to find expected lines in f:\nx/);
});

test("a blank line before the next header is part of the patch only if the file has it", () => {
  assert.equal(update("a\nb\n", "@@\n-a\n+A\n"), "A\nb\n");
  assert.equal(update("a\n\nb\n", "@@\n-a\n+A\n"), "A\n\nb\n");
  assert.equal(update("q\n\nb\n", "@@\n+A\n"), "q\n\nb\nA\n");
});

test("a file of a hundred thousand lines is handled quickly", () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join("");
  assert.ok(update(text, "@@\n line 99998\n-line 99999\n+last").endsWith("line 99998\nlast\n"));
});
