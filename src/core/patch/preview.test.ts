import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FileUpdateChange } from "../../protocol/item.ts";
import { PatchPreview } from "./preview.ts";

const patch =
  "*** Begin Patch\n*** Add File: a\n+one\n+two\n*** Update File: b\n*** Move to: c\n@@ def f\n-x\n+y\n*** Delete File: d\n*** End Patch\n";
const wanted: FileUpdateChange[] = [
  { path: "a", kind: { type: "add" }, diff: "one\ntwo\n" },
  { path: "b", kind: { type: "update", move_path: "c" }, diff: "@@ def f\n-x\n+y\n" },
  { path: "d", kind: { type: "delete" }, diff: "" },
];

/** The last telling, with all the time in the world between the pieces. */
function last(pieces: readonly string[], form: "text" | "json"): FileUpdateChange[] | undefined {
  let now = 0;
  const preview = new PatchPreview(form, () => (now += 1000));
  return pieces.map((piece) => preview.push(piece)).findLast((changes) => changes !== undefined);
}

test("however it is cut, the whole patch is seen at its end", () => {
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

test("half a line is not shown, and not every piece is told", () => {
  let now = 0;
  const preview = new PatchPreview("text", () => now);
  assert.deepEqual(preview.push("*** Begin Patch\n*** Add File: a\n+on"), [{ path: "a", kind: { type: "add" }, diff: "" }]);
  assert.equal(preview.push("e\n"), undefined);
  now = 200;
  assert.deepEqual(preview.push("+tw"), [{ path: "a", kind: { type: "add" }, diff: "one\n" }]);
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.constantFrom<"text" | "json">("text", "json"), (pieces, form) => void last(pieces, form)),
  );
});
