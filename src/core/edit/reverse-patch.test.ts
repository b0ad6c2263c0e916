import assert from "node:assert/strict";
import { test } from "node:test";
import { unifiedDiff } from "../../lib/diff.ts";
import { PatchMisfit, parseFilePatch, reversePatch } from "./reverse-patch.ts";

const misfit = (pattern: RegExp) => (error: unknown) => error instanceof PatchMisfit && pattern.test(error.message);
const patchOf = async (before: string, after: string, name = "a"): Promise<string> =>
  `diff --git a/${name} b/${name}\n--- ${before === "" ? "/dev/null" : `a/${name}`}\n+++ ${after === "" ? "/dev/null" : `b/${name}`}\n${await unifiedDiff(before, after, 3)}`;
const numbered = (count: number, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, i) => `${changed[i] ?? i}\n`).join("");

test("a change of any shape is taken back exactly", async () => {
  const pairs = [
    ["a\nb\nc\n", "a\nB\nc\n"],
    ["a\nb\n", "a\nb"],
    ["a\nb", "a\nb\n"],
    ["a\r\nb\r\n", "a\r\nc\r\n"],
    ["", "new\nfile\n"],
    ["gone", ""],
    [numbered(40), numbered(40, { 2: "x", 20: "y\nz", 39: "w" })],
    ["x\n", "x\n\n\n"],
    ["a\n@@ -1 +1 @@\n--- q\n", "a\n@@ -1 +1 @@\n+++ q\n"],
  ] as const;
  for (const [before, after] of pairs) {
    const { hunks } = parseFilePatch(await patchOf(before, after));
    assert.equal(reversePatch(after, hunks), before, JSON.stringify([before, after]));
  }
});

test("one part of it is taken back while others stay, also after lines have moved", async () => {
  const [before, after] = [numbered(40), numbered(40, { 5: "five", 30: "thirty" })];
  const { hunks } = parseFilePatch(await patchOf(before, after));
  const [first, second] = hunks;
  assert.ok(first !== undefined && second !== undefined && hunks.length === 2);
  assert.equal(reversePatch(after, [second]), numbered(40, { 5: "five" }));
  assert.equal(reversePatch(`moved\n${after}`, [second]), `moved\n${numbered(40, { 5: "five" })}`);
  assert.throws(() => reversePatch(after.replace("thirty", "changed"), [second]), misfit(/lines have changed since/));
  const twice = parseFilePatch(await patchOf("x\ny\n", "x\nz\n")).hunks;
  assert.throws(() => reversePatch("0\nx\nz\nx\nz\n", twice), misfit(/more than one place/));
});

test("names are read as git writes them, and anything but one text file is refused", () => {
  const hunk = "@@ -1 +1 @@\n-a\n+b\n";
  const names = (a: string, b: string) => {
    const { before, after } = parseFilePatch(`diff --git x y\n--- ${a}\n+++ ${b}\n${hunk}`);
    return [before, after];
  };
  assert.deepEqual(names('"a/n\\303\\251\\n\\"q\\""', "b/é w\t"), ['né\n"q"', "é w"]);
  assert.deepEqual(names("/dev/null", "b/new"), [null, "new"]);
  for (const [text, why] of [
    [`--- a/x\n+++ b/x\n${hunk}diff --git a/y b/y\n`, /more than one file/],
    ["diff --git a/x b/x\nBinary files a/x and b/x differ\n", /not text/],
    ["--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", /cut off|cannot be read|can be read/],
    ["--- a/x\n+++ b/x\n@@ nonsense @@\n", /can be read/],
    ["", /no changed lines/],
    [`--- /dev/null\n+++ /dev/null\n${hunk}`, /names no file/],
  ] as const)
    assert.throws(() => parseFilePatch(text), misfit(why), text);
});
