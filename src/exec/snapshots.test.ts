import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { createSnapshots } from "./snapshots.ts";

const never = new AbortController().signal;
function place(t: TestContext): string {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "snapshot-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
const text = (state: unknown): unknown =>
  typeof state === "object" && state !== null && "bytes" in state ? Buffer.from(state.bytes as Uint8Array).toString() : state;

test("what came, changed and went since the last look", async (t) => {
  const root = place(t);
  for (const name of ["stays", "changes", "goes"]) writeFileSync(path.join(root, name), name);
  symlinkSync("stays", path.join(root, "link"));
  const snapshot = await createSnapshots().take([root], never);
  assert.ok(snapshot);
  writeFileSync(path.join(root, "changes"), "changed");
  rmSync(path.join(root, "goes"));
  mkdirSync(path.join(root, "new"));
  writeFileSync(path.join(root, "new/file"), "fresh");
  const seen = (await snapshot.changes()).map(({ path: file, before, after }) => [path.relative(root, file), text(before), text(after)]);
  assert.deepEqual(seen.sort(), [
    ["changes", "changes", "changed"],
    ["goes", "goes", { kind: "absent" }],
    ["new/file", { kind: "absent" }, "fresh"],
  ]);
  assert.deepEqual(await snapshot.changes(), [], "each change is told once");
});

test("a large file is known but not kept, and a large workspace is not remembered at all", async (t) => {
  const root = place(t);
  writeFileSync(path.join(root, "large"), "0123456789");
  const snapshot = await createSnapshots(undefined, { files: 10, fileBytes: 5, totalBytes: 100 }).take([root], never);
  writeFileSync(path.join(root, "large"), "changed to another text");
  const [change] = (await snapshot?.changes()) ?? [];
  assert.equal(change?.before, "notKept");
  for (let i = 0; i < 12; i++) writeFileSync(path.join(root, `f${i}`), "");
  assert.equal(await createSnapshots(undefined, { files: 10, fileBytes: 5, totalBytes: 100 }).take([root], never), undefined);
});
