import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSplitter } from "./json-lines.ts";

function collect(limit?: number) {
  const lines: string[] = [];
  const tooLong: { readonly head: string; readonly bytes: number }[] = [];
  const splitter = new LineSplitter(
    { line: (text) => void lines.push(text), tooLong: (head, bytes) => void tooLong.push({ head, bytes }) },
    limit,
  );
  return { lines, tooLong, splitter };
}

test("lines are complete however the input is split, with the same bytes", () => {
  const text = `{"a":"${"ä€𝄞".repeat(2_000)}"}\r\n\n{"b":1}\n${"x".repeat(40_000)}\nlast`;
  const bytes = Buffer.from(text);
  const whole = collect();
  whole.splitter.push(bytes);
  whole.splitter.end();
  for (const sizes of [[1], [3, 16_384], [5, 40_000, 1, 1, 70_000], [65_536], [16_383, 16_385]]) {
    const { lines, splitter } = collect();
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const size = sizes[i % sizes.length] ?? 1;
      splitter.push(Buffer.from(bytes.subarray(at, at + size)));
      at += size;
    }
    splitter.end();
    assert.deepEqual(lines, whole.lines);
  }
  assert.deepEqual([whole.lines.length, whole.lines[2], whole.lines.at(-1)], [5, '{"b":1}', "last"]);
});

test("a line that arrives byte by byte is kept in few chunks, and costs about its own length", () => {
  const { lines, splitter } = collect();
  const bytes = 256 * 1024;
  for (let i = 0; i < bytes; i++) splitter.push(Buffer.from("x"));
  assert.ok(splitter.pieces <= bytes / (16 * 1024), `${splitter.pieces} pieces`);
  splitter.push(Buffer.from("\n"));
  assert.deepEqual([lines[0]?.length, splitter.pieces], [bytes, 0]);
});

test("alternating small and large chunks are merged too", () => {
  const { lines, splitter } = collect();
  for (let i = 0; i < 200; i++) {
    splitter.push(Buffer.alloc(1, "s"));
    splitter.push(Buffer.alloc(16 * 1024, "l"));
  }
  assert.ok(splitter.pieces <= 2 * 200, `${splitter.pieces} pieces`);
  splitter.push(Buffer.from("\n"));
  assert.equal(lines[0], `s${"l".repeat(16 * 1024)}`.repeat(200));
});

test("only the beginning of an overlong line is kept, and the next line is read", () => {
  const { lines, tooLong, splitter } = collect(1_000);
  for (let i = 0; i < 5_000; i++) splitter.push(Buffer.from("y"));
  assert.equal(splitter.pieces, 1);
  splitter.push(Buffer.from("\nnext\n"));
  assert.deepEqual(lines, ["next"]);
  assert.equal(tooLong[0]?.bytes, 5_000);
  assert.ok((tooLong[0]?.head ?? "").startsWith("yyyy"));
});
