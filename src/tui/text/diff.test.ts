import assert from "node:assert/strict";
import { test } from "node:test";
import { changeLines, countsOf, gitDiffLines } from "./diff.ts";
import { lineText } from "./spans.ts";

const update = {
  path: "a.txt",
  kind: { type: "update" as const, move_path: null },
  diff: "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+C\n c\n@@ -10 +11 @@\n-x\n+y\n\n\nMoved to: /b\n",
};

test("hunks have line numbers and gaps, and text outside them is left out", () => {
  assert.deepEqual(countsOf(update), { added: 3, removed: 2 });
  assert.deepEqual(
    changeLines(update, 20, 100).map((line) => lineText(line).trimEnd()),
    [" 1   a", " 2 - b", " 2 + B", " 3 + C", " 4   c", "   ⋮", "10 - x", "11 + y"],
  );
});

test("added and deleted files are shown in full, and a limit reports what is missing", () => {
  const add = { path: "n", kind: { type: "add" as const }, diff: "one\n\u001b[31mtwo\nthree\n" };
  assert.deepEqual(
    changeLines(add, 30, 2).map((line) => lineText(line).trimEnd()),
    ["1 + one", "2 + two", "  … 1 more lines"],
  );
  assert.deepEqual(countsOf({ ...add, kind: { type: "delete" } }), { added: 0, removed: 3 });
  assert.deepEqual(changeLines({ ...add, diff: "" }, 30, 5), []);
});

test("a minus line that looks like a header stays a line", () => {
  const tricky = { path: "a", kind: { type: "update" as const }, diff: "@@ -1,2 +1,1 @@\n--- not a header\n ok\n" };
  assert.deepEqual(countsOf(tricky), { added: 0, removed: 1 });
});

test("a whole diff keeps its text", () => {
  assert.deepEqual(gitDiffLines("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b", 80).map(lineText), [
    "diff --git a/x b/x",
    "@@ -1 +1 @@",
    "-a",
    "+b",
  ]);
});
