import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createWorkspace } from "../../workspace/workspace.ts";
import type { FileState } from "../ports/workspace.ts";
import { fileDiff, TurnFiles } from "./turn-diff.ts";

const absent: FileState = { kind: "absent" };
const file = (content: string | readonly number[], mode = 0o644): FileState => ({
  kind: "file",
  bytes: typeof content === "string" ? Buffer.from(content) : Uint8Array.from(content),
  mode,
});

test("each kind of change has git's header", async () => {
  assert.equal(
    await fileDiff("a", "a", absent, file("x\n")),
    "diff --git a/a b/a\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..587be6b4c3f93f93c489c0111bba5596147a26cb\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n",
  );
  assert.equal(
    await fileDiff("a", "a", file("x\n"), absent),
    "diff --git a/a b/a\ndeleted file mode 100644\nindex 587be6b4c3f93f93c489c0111bba5596147a26cb..0000000000000000000000000000000000000000\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
  );
  assert.equal(
    await fileDiff("a", "a", absent, file("")),
    "diff --git a/a b/a\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n",
  );
  assert.equal(
    await fileDiff("a", "b", file("x\n"), file("x\n")),
    "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
  );
  assert.match(await fileDiff("a", "a", file("x\n"), file("x\n", 0o755)), /^diff --git a\/a b\/a\nold mode 100644\nnew mode 100755\n$/);
  assert.match(await fileDiff("a", "a", file([0, 1]), file([0, 2])), /\nBinary files a\/a and b\/a differ\n$/);
  assert.match(await fileDiff("a", "a", file([0xff, 0x0a]), absent), /\nBinary files a\/a and \/dev\/null differ\n$/);
  assert.match(
    await fileDiff("a", "a", absent, { kind: "link", target: "t" }),
    /new file mode 120000\n[\s\S]*\+t\n\\ No newline at end of file\n$/,
  );
  assert.match(await fileDiff('q"\n', 'q"\n', absent, file("x\n")), /^diff --git "a\/q\\"\\n" "b\/q\\"\\n"\n/);
});

test("one diff for the whole turn: the first state against the current one, by path", async (t) => {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "turn-diff-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const files = new TurnFiles({ threadId: "t", turnId: "u" }, root, { workspace: createWorkspace(), undo: undefined, log });
  const at = (name: string): string => path.join(root, name);
  const changes = async (real: string, before: FileState): Promise<void> => {
    await files.changing(real, before, absent);
    files.changed(real);
  };
  assert.equal(await files.diff(), "");
  await changes(at("b"), file("1\n"));
  writeFileSync(at("b"), "2\n");
  await changes(at("a"), absent);
  writeFileSync(at("a"), "new\n");
  await changes(at("b"), file("2\n"));
  writeFileSync(at("b"), "3\n");
  const names = (diff: string): string[] => [...diff.matchAll(/^diff --git (.+)$/gm)].map((m) => m[1] ?? "");
  const first = await files.diff();
  assert.deepEqual(names(first), ["a/a b/a", "a/b b/b"]);
  assert.ok(first.includes("-1\n+3\n"));
  await changes(at("c"), absent);
  rmSync(at("b"));
  writeFileSync(at("c"), "3\n");
  files.moved(at("b"), at("c"));
  assert.deepEqual(names(await files.diff()), ["a/a b/a", "a/b b/c"]);
  rmSync(at("c"));
  files.moved(at("c"), at("b"));
  writeFileSync(at("b"), "1\n");
  assert.deepEqual(names(await files.diff()), ["a/a b/a"], "what is as it was is left out");
  await files.changing(at("theirs"), absent, file("ours\n"));
  writeFileSync(at("theirs"), "theirs\n");
  await files.notChanged(at("theirs"), absent);
  assert.deepEqual(names(await files.diff()), ["a/a b/a"], "what the turn did not change is not its doing");
  const far = path.join(path.dirname(root), "far.txt");
  await changes(far, file("x\n"));
  assert.deepEqual(names(await files.diff()), [`a/${far} b/${far}`, "a/a b/a"]);
});
