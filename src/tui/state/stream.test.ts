import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pieceLines } from "../draw/entries.ts";
import { lineText } from "../text/spans.ts";
import { append, emptyStream, openText, type Piece, settle } from "./stream.ts";

/** Everything that a stream releases when the text arrives in these parts. */
function streamed(parts: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let stream = emptyStream;
  for (const part of parts) {
    const settled = settle(append(stream, part), false);
    pieces.push(...settled.pieces);
    stream = settled.stream;
  }
  return [...pieces, ...settle(stream, true).pieces];
}

const drawn = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap((piece, i) => [...(i === 0 || piece.joined ? [] : [""]), ...pieceLines(piece, 60).map(lineText)]);

const message = [
  "# Title\n\n",
  "Some *text*.\nSecond line.\n\n",
  "- one\n- two\n  - inner\n- three\n\n",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```\n",
  "after\n\n",
  "1. a\n2. b\n\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
  "~~~\nraw ``` inside\n~~~\n",
  "> quote\n\nThe end",
].join("");

test("however a message is split into deltas, the same is printed", () => {
  const whole = drawn(streamed([message]));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }), (sizes) => {
      const parts: string[] = [];
      let at = 0;
      for (const size of sizes) {
        parts.push(message.slice(at, at + size));
        at += size;
      }
      parts.push(message.slice(at));
      assert.deepEqual(drawn(streamed(parts)), whole);
    }),
  );
  assert.deepEqual(drawn(streamed([...message])), whole);
});

test("nothing is printed twice, and nothing before it is final", () => {
  const first = settle(append(emptyStream, "Hello wor"), false);
  assert.deepEqual(first.pieces, []);
  const second = settle(append(first.stream, "ld.\n\nNext"), false);
  assert.deepEqual(second.pieces, [{ kind: "markdown", text: "Hello world.", joined: false }]);
  assert.equal(openText(second.stream), "Next");
});

test("a long block of code is printed line by line", () => {
  const opened = settle(append(emptyStream, "```py\na = 1\nb ="), false);
  assert.deepEqual(opened.pieces, [{ kind: "code", lines: ["a = 1"], language: "py", joined: false }]);
  assert.equal(openText(opened.stream), "```py\nb =");
  const next = settle(append(opened.stream, " 2\n```\nDone"), false);
  assert.deepEqual(next.pieces, [{ kind: "code", lines: ["b = 2"], language: "py", joined: true }]);
  assert.equal(openText(next.stream), "Done");
});

test("a fence inside a longer fence does not close it", () => {
  assert.deepEqual(streamed(["````md\n```\nx\n```\n````\nend"]), [
    { kind: "code", lines: ["```", "x", "```"], language: "md", joined: false },
    { kind: "markdown", text: "end", joined: false },
  ]);
});

test("escape sequences in a message are removed, even when they arrive in two parts", () => {
  const text = JSON.stringify(streamed(["a\u001b", "[2Jb\n\n", "\u001b]0;x\u0007c"]));
  assert.doesNotMatch(text, /\\u001b|\\u0007/);
});
