import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createSnapshots } from "./snapshots.ts";

function place(t: TestContext): string {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "snapshot-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
const text = (state: unknown): unknown =>
  typeof state === "object" && state !== null && "bytes" in state ? Buffer.from(state.bytes as Uint8Array).toString() : state;

test("files that were added, changed and removed since the last scan", async (t) => {
  const root = place(t);
  for (const name of ["stays", "changes", "goes"]) writeFileSync(path.join(root, name), name);
  symlinkSync("stays", path.join(root, "link"));
  const snapshot = await createSnapshots().take([root]);
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
  assert.deepEqual(await snapshot.changes(), [], "each change is reported once");
});

test("a folder with very many entries is not scanned, and what is known about the others is kept", async (t) => {
  const root = place(t);
  writeFileSync(path.join(root, "kept"), "kept");
  const snapshots = createSnapshots();
  const early = await snapshots.take([root]);
  const huge = path.join(root, "huge");
  mkdirSync(huge);
  for (let i = 0; i <= 25_000; i++) symlinkSync("nothing", path.join(huge, `l${i}`));
  writeFileSync(path.join(root, "kept"), "changed");
  assert.deepEqual(
    (await early?.changes())?.map(({ path: file, after }) => [path.relative(root, file), text(after)]),
    [["kept", "changed"]],
  );
  early?.close();
  assert.equal(await createSnapshots().take([root]), undefined);
});

test("leases in the placeholders of running commands are not reported as changes", async (t) => {
  const root = place(t);
  const snapshot = await createSnapshots().take([root]);
  mkdirSync(path.join(root, ".codex"));
  writeFileSync(path.join(root, ".codex/.parley-4026531836-17-99-x"), "");
  assert.deepEqual(await snapshot?.changes(), []);
});

test("a large file is known but not kept, and a large workspace is not kept at all", async (t) => {
  const root = place(t);
  writeFileSync(path.join(root, "large"), "0123456789");
  const snapshot = await createSnapshots({ files: 10, fileBytes: 5, totalBytes: 100 }).take([root]);
  writeFileSync(path.join(root, "large"), "changed to another text");
  const [change] = (await snapshot?.changes()) ?? [];
  assert.equal(change?.before, "notKept");
  for (let i = 0; i < 12; i++) writeFileSync(path.join(root, `f${i}`), "");
  assert.equal(await createSnapshots({ files: 10, fileBytes: 5, totalBytes: 100 }).take([root]), undefined);
});

test("each thread is told once that its workspace is too large, and every time that it could not be read in time", async (t) => {
  const root = place(t);
  for (let i = 0; i < 12; i++) writeFileSync(path.join(root, `f${i}`), "");
  const snapshots = createSnapshots({ files: 10, fileBytes: 5, totalBytes: 100 });
  assert.equal(await snapshots.take([root]), undefined);
  assert.match(snapshots.whyNone([root], "a") ?? "", /more than 10 files/);
  assert.equal(snapshots.whyNone([root], "a"), undefined);
  assert.match(snapshots.whyNone([root], "b") ?? "", /more than 10 files/);
  const slow = path.join(root, "slow");
  mkdirSync(slow);
  for (let i = 0; i < 2; i++) assert.match(snapshots.whyNone([slow], "a") ?? "", /could not be read within 15 s/);
});

test("each turn sees its own earlier state of a workspace that several share", async (t) => {
  const root = place(t);
  const file = path.join(root, "file");
  writeFileSync(file, "one");
  const snapshots = createSnapshots();
  const first = await snapshots.take([root]);
  writeFileSync(file, "two");
  assert.equal(text((await first?.changes())?.[0]?.before), "one");
  await delay(110); // the memory counts as fresh for a tenth of a second
  const second = await snapshots.take([root]);
  writeFileSync(file, "three");
  assert.deepEqual(text((await second?.changes())?.[0]?.before), "two");
  const [again] = (await first?.changes()) ?? [];
  assert.deepEqual([again?.before, text(again?.after)], [undefined, "three"], "an earlier state is reported once");
});

test("a change that keeps size and time is seen while the first change is recent", async (t) => {
  const root = place(t);
  const file = path.join(root, "file");
  writeFileSync(file, "one");
  const { atimeMs, mtimeMs } = statSync(file);
  const snapshot = await createSnapshots().take([root]);
  writeFileSync(file, "two");
  utimesSync(file, atimeMs / 1000, mtimeMs / 1000);
  assert.equal(text((await snapshot?.changes())?.[0]?.after), "two");
});

test("a file that was only touched has not changed; a newly ignored one is not gone", async (t) => {
  const root = place(t);
  mkdirSync(path.join(root, ".git"));
  for (const name of ["touched", "left-out", "folder"]) mkdirSync(path.join(root, name));
  for (const name of ["touched/a", "left-out/b", "folder/c"]) writeFileSync(path.join(root, name), name);
  const snapshot = await createSnapshots().take([root]);
  utimesSync(path.join(root, "touched/a"), 1, 1);
  writeFileSync(path.join(root, ".gitignore"), "left-out/\n*.log\n");
  writeFileSync(path.join(root, "folder/x.log"), "ignored");
  writeFileSync(path.join(root, "folder/y"), "seen");
  const seen = (await snapshot?.changes()) ?? [];
  assert.deepEqual(seen.map((change) => path.relative(root, change.path)).sort(), [".gitignore", "folder/y"]);
});

test("a pipe in place of a file blocks nothing", async (t) => {
  const root = place(t);
  const file = path.join(root, "file");
  writeFileSync(file, "one");
  const snapshot = await createSnapshots().take([root]);
  rmSync(file);
  execFileSync("mkfifo", [file]);
  const [change] = (await snapshot?.changes()) ?? [];
  assert.deepEqual([text(change?.before), change?.after.kind], ["one", "other"]);
});
