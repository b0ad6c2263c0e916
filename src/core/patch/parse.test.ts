import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePatch } from "./parse.ts";

const wrap = (body: string): string => `*** Begin Patch\n${body}\n*** End Patch`;
const hunksOf = (text: string) => {
  const parsed = parsePatch(text);
  assert.ok("hunks" in parsed, JSON.stringify(parsed));
  return parsed.hunks;
};
const failureOf = (text: string): string => {
  const parsed = parsePatch(text);
  assert.ok("failed" in parsed, JSON.stringify(parsed));
  return parsed.failed;
};

test("a patch with all operations is parsed in order", () => {
  assert.deepEqual(
    hunksOf(
      wrap(
        "*** Add File: a\n+one\n+\n*** Delete File: d\n*** Update File: u\n*** Move to: v\n@@ class A\n@@ def f\n keep\n-old\n+new\n*** End of File",
      ),
    ),
    [
      { op: "add", path: "a", content: "one\n\n" },
      { op: "delete", path: "d" },
      {
        op: "update",
        path: "u",
        movePath: "v",
        chunks: [
          {
            anchors: ["class A", "def f"],
            lines: [
              { sign: " ", text: "keep" },
              { sign: "-", text: "old" },
              { sign: "+", text: "new" },
            ],
            atEnd: true,
          },
        ],
      },
    ],
  );
});

test("here-documents, spaces around markers, blank lines and CRLF are tolerated", () => {
  const wanted = [{ op: "add", path: "a", content: "x\n" }];
  assert.deepEqual(hunksOf(`<<'EOF'\n${wrap("*** Add File: a\n+x")}\nEOF\n`), wanted);
  assert.deepEqual(hunksOf(`apply_patch <<"PATCH"\n${wrap("*** Add File: a\n+x")}\nPATCH`), wanted);
  assert.deepEqual(hunksOf(`\n  *** Begin Patch \n\n *** Add File:  a \n+x\n\n\t*** End Patch\n\n`), wanted);
  assert.deepEqual(hunksOf(wrap("*** Add File: a\n+x").replaceAll("\n", "\r\n")), wanted);
  assert.deepEqual(hunksOf(wrap("*** Environment ID: local\n*** Add File: a\n+x")), wanted);
});

test("the first chunk needs no marker, an empty line is an empty context line, and line numbers of a unified diff are no anchor", () => {
  const [hunk] = hunksOf(wrap("*** Update File: u\n-a\n\n+b\n@@ -1,2 +3 @@ def f\n c"));
  assert.deepEqual(hunk?.op === "update" ? hunk.chunks : undefined, [
    {
      anchors: [],
      lines: [
        { sign: "-", text: "a" },
        { sign: " ", text: "" },
        { sign: "+", text: "b" },
      ],
      atEnd: false,
    },
    { anchors: [], lines: [{ sign: " ", text: "c" }], atEnd: false },
  ]);
});

test("a move needs no chunk", () => {
  assert.deepEqual(hunksOf(wrap("*** Update File: a\n*** Move to: b")), [{ op: "update", path: "a", movePath: "b", chunks: [] }]);
});

test("a parse error says where and why", () => {
  assert.match(failureOf("hello"), /first line of the patch must be '\*\*\* Begin Patch'/);
  assert.match(failureOf(""), /first line/);
  assert.match(failureOf("*** Begin Patch"), /last line/);
  assert.match(failureOf("*** Begin Patch\n*** Add File: a\n+x"), /last line of the patch must be '\*\*\* End Patch'/);
  assert.match(failureOf(wrap("*** Frob File: a")), /invalid hunk at line 2, '\*\*\* Frob File: a' is not a valid hunk header/);
  assert.match(failureOf(wrap("*** Add File: a\n+x\nstray")), /line 4, 'stray'/);
  assert.match(failureOf(wrap("*** Add File:")), /names no file/);
  assert.match(failureOf(wrap("*** Update File: a")), /line 2, Update file hunk for path 'a' is empty/);
  assert.match(failureOf(wrap("*** Update File: a\n@@\n*** End of File")), /does not contain any lines/);
  assert.match(failureOf(wrap("*** Update File: a\n@@\n-x\n*** End of File\n-y")), /start with a @@ context marker, got: '-y'/);
});

test("no text makes it throw", () => {
  const piece = fc.constantFrom(
    ...[
      "*** Begin Patch",
      "*** End Patch",
      "*** Add File: a",
      "*** Delete File: a",
      "*** Update File: b",
      "*** Move to: c",
      "*** End of File",
    ],
    ...["@@", "@@ x", "+x", "-x", " x", "", " ", "***", "<<EOF", "EOF", "\r", "\0", "+".repeat(5000)],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (lines) => {
      const parsed = parsePatch(lines.join("\n"));
      assert.ok("hunks" in parsed || parsed.failed !== "");
    }),
    { numRuns: 3000 },
  );
});
