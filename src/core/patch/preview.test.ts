import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FileUpdateChange } from "../../protocol/item.ts";
import { PatchPreview, type PreviewForm } from "./preview.ts";

const patch =
  "*** Begin Patch\n*** Add File: a\n+one\n+two\n*** Update File: b\n*** Move to: c\n@@ def f\n-x\n+y\n*** Delete File: d\n*** End Patch\n";
const wanted: FileUpdateChange[] = [
  { path: "a", kind: { type: "add" }, diff: "one\ntwo\n" },
  { path: "b", kind: { type: "update", move_path: "c" }, diff: "@@ def f\n-x\n+y\n" },
  { path: "d", kind: { type: "delete" }, diff: "" },
];

/** The last preview, with unlimited time between the chunks. */
function last(pieces: readonly string[], form: PreviewForm): FileUpdateChange[] | undefined {
  let now = 0;
  const preview = new PatchPreview(form, () => (now += 1000));
  return pieces.map((piece) => preview.push(piece)).findLast((changes) => changes !== undefined);
}

test("for any chunk boundaries, the whole patch is shown at its end", () => {
  fc.assert(
    fc.property(fc.constantFrom<"text" | "json">("text", "json"), fc.array(fc.nat(400), { maxLength: 20 }), (form, cuts) => {
      const text = form === "text" ? patch : JSON.stringify({ input: patch });
      const at = [0, ...cuts.filter((c) => c < text.length).sort((a, b) => a - b), text.length];
      assert.deepEqual(
        last(
          at.slice(1).map((end, i) => text.slice(at[i], end)),
          form,
        ),
        wanted,
      );
    }),
  );
});

test("edits and new files are previewed as they are written, for any chunk boundaries", () => {
  const edit = { path: "a.ts", old_text: 'say("one")\nx', new_text: 'say("two")\ny', replace_all: true };
  const swapped = { replace_all: false, new_text: 'say("two")\ny', path: "a.ts", old_text: 'say("one")\nx' };
  const edited = [{ path: "a.ts", kind: { type: "update", move_path: null }, diff: '@@\n-say("one")\n-x\n+say("two")\n+y\n' }];
  const written = [{ path: "b", kind: { type: "add" }, diff: "one\n\u00fctwo\n" }];
  fc.assert(
    fc.property(fc.array(fc.nat(200), { maxLength: 20 }), (cuts) => {
      for (const [form, args, changes] of [
        ["edit", edit, edited],
        ["edit", swapped, edited],
        ["write", { path: "b", content: "one\n\u00fctwo" }, written],
        ["write", { content: "one\n\u00fctwo\n", path: "b" }, written],
      ] as const) {
        const text = JSON.stringify(args);
        const at = [0, ...cuts.filter((c) => c < text.length).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
        assert.deepEqual(last(pieces, form), changes, text);
      }
    }),
  );
  let now = 0;
  const preview = new PatchPreview("write", () => (now += 1000));
  const shown = ['{"path": "b", "con', 'tent": "one\\nt', "wo\\nthr", 'ee"}'].map((piece) => preview.push(piece)?.[0]?.diff);
  assert.deepEqual(shown, [undefined, "one\n", "one\ntwo\n", "one\ntwo\nthree\n"]);
});

test("half a line is not shown, and not every chunk causes a notification", () => {
  let now = 0;
  const preview = new PatchPreview("text", () => now);
  assert.deepEqual(preview.push("*** Begin Patch\n*** Add File: a\n+on"), [{ path: "a", kind: { type: "add" }, diff: "" }]);
  assert.equal(preview.push("e\n"), undefined);
  now = 200;
  assert.deepEqual(preview.push("+tw"), [{ path: "a", kind: { type: "add" }, diff: "one\n" }]);
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string()),
      fc.constantFrom<PreviewForm>("text", "json", "edit", "write"),
      (pieces, form) => void last(pieces, form),
    ),
  );
});
