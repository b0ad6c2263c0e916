import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { createUndoStore, type UndoLimits } from "../../store/undo.ts";
import { createWorkspace } from "../../workspace/workspace.ts";
import { applyPlan } from "../patch/apply.ts";
import { planPatch } from "../patch/plan.ts";
import type { WriteScope } from "../patch/reach.ts";
import { TurnFiles } from "./turn-diff.ts";
import { revertTurn } from "./undo.ts";

const workspace = createWorkspace();
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const roomy: UndoLimits = { fileBytes: 1e6, turnBytes: 1e6, totalBytes: 1e7, turns: 100 };

function place(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "undo-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const ws = path.join(root, "ws");
  mkdirSync(ws);
  const kept = path.join(root, "home/undo");
  const scope: WriteScope = { everywhere: false, roots: [ws], sessionRoots: [{ named: ws, real: ws }], closed: [], sealed: [] };
  const file = (name: string, text?: string): string | undefined => {
    const at = path.join(ws, name);
    if (text !== undefined) {
      mkdirSync(path.dirname(at), { recursive: true });
      writeFileSync(at, text);
    }
    return existsSync(at) ? readFileSync(at, "utf8") : undefined;
  };
  /** One turn of several patches; a fresh store each time, as after a restart. */
  const turn = async (turnId: string, bodies: readonly string[], limits = roomy): Promise<TurnFiles> => {
    const files = new TurnFiles({ threadId: "thread", turnId }, ws, { workspace, undo: createUndoStore(kept, limits), log: silent });
    for (const body of bodies) {
      const plan = await planPatch(`*** Begin Patch\n${body}\n*** End Patch`, ws, workspace, scope);
      assert.ok(!("failed" in plan), JSON.stringify(plan));
      const applied = await applyPlan(plan, workspace, files);
      assert.ok(applied.ok, JSON.stringify(applied));
    }
    return files;
  };
  /** Another patch in a turn, with something happening between its verification and its application. */
  const failing = async (files: TurnFiles, body: string, meanwhile: () => void): Promise<string> => {
    const plan = await planPatch(`*** Begin Patch\n${body}\n*** End Patch`, ws, workspace, scope);
    assert.ok(!("failed" in plan), JSON.stringify(plan));
    meanwhile();
    const applied = await applyPlan(plan, workspace, files);
    assert.ok(!applied.ok);
    return applied.failed;
  };
  const revert = (turnId: string, force = false) =>
    revertTurn({ threadId: "thread", turnId }, force, createUndoStore(kept, roomy), workspace);
  return { root, ws, kept, file, turn, failing, revert };
}

test("a turn of several patches is undone as a whole, also after a restart", async (t) => {
  const p = place(t);
  p.file("a", "1\n");
  p.file("doomed", "bye\n");
  p.file("old/name", "x\n");
  chmodSync(path.join(p.ws, "doomed"), 0o755);
  mkdirSync(path.join(p.ws, "empty"));
  await p.turn("one", [
    "*** Update File: a\n@@\n-1\n+2\n*** Add File: new/deep/n\n+n\n*** Add File: empty/first\n+x",
    "*** Update File: a\n@@\n-2\n+3\n*** Delete File: doomed\n*** Update File: old/name\n*** Move to: other/name\n@@\n-x\n+y",
  ]);
  assert.equal(p.file("a"), "3\n");
  const reverted = await p.revert("one");
  assert.deepEqual(reverted?.conflicts, []);
  assert.deepEqual(
    reverted?.restored.map((name) => path.relative(p.ws, name)),
    ["a", "doomed", "empty/first", "new/deep/n", "old/name", "other/name"],
  );
  assert.deepEqual([p.file("a"), p.file("doomed"), p.file("old/name"), p.file("other/name")], ["1\n", "bye\n", "x\n", undefined]);
  assert.equal(statSync(path.join(p.ws, "doomed")).mode & 0o777, 0o755);
  assert.deepEqual(readdirSync(p.ws).sort(), ["a", "doomed", "empty", "old"], "folders that the turn made are gone, others stay");
  assert.deepEqual(await p.revert("one"), { restored: [], conflicts: [] }, "a second time there is nothing to do");
});

test("a file changed since the turn is a conflict, and nothing is touched unless forced", async (t) => {
  const p = place(t);
  p.file("a", "1\n");
  p.file("b", "1\n");
  await p.turn("one", ["*** Update File: a\n@@\n-1\n+2\n*** Update File: b\n@@\n-1\n+2"]);
  p.file("b", "mine\n");
  assert.deepEqual(await p.revert("one"), {
    restored: [],
    conflicts: [{ path: path.join(p.ws, "b"), reason: "it was changed since the turn" }],
  });
  assert.deepEqual([p.file("a"), p.file("b")], ["2\n", "mine\n"]);
  assert.deepEqual((await p.revert("one", true))?.restored.length, 2);
  assert.deepEqual([p.file("a"), p.file("b")], ["1\n", "1\n"]);
});

test("an earlier turn cannot be undone before a later one; the later one can", async (t) => {
  const p = place(t);
  p.file("a", "1\n");
  await p.turn("one", ["*** Update File: a\n@@\n-1\n+2"]);
  await p.turn("two", ["*** Update File: a\n@@\n-2\n+3"]);
  assert.equal((await p.revert("one"))?.conflicts.length, 1);
  assert.equal((await p.revert("two"))?.conflicts.length, 0);
  assert.equal(p.file("a"), "2\n");
  assert.equal((await p.revert("one"))?.conflicts.length, 0);
  assert.equal(p.file("a"), "1\n");
});

test("a failed patch leaves nothing to undo", async (t) => {
  const p = place(t);
  p.file("a", "1\n");
  p.file("b", "1\n");
  const files = await p.turn("one", ["*** Update File: a\n@@\n-1\n+2"]);
  const failed = await p.failing(files, "*** Update File: a\n@@\n-2\n+3\n*** Update File: b\n@@\n-1\n+2", () => p.file("b", "mine\n"));
  assert.match(failed, /changed by someone else/);
  assert.deepEqual([p.file("a"), p.file("b")], ["2\n", "mine\n"]);
  assert.deepEqual(await p.revert("one"), { restored: [path.join(p.ws, "a")], conflicts: [] });
  assert.deepEqual([p.file("a"), p.file("b")], ["1\n", "mine\n"]);
});

test("a link placed at the path is not followed by a revert either", async (t) => {
  const p = place(t);
  p.file("sub/a", "1\n");
  await p.turn("one", ["*** Update File: sub/a\n@@\n-1\n+2"]);
  const outside = path.join(p.root, "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "a"), "2\n");
  rmSync(path.join(p.ws, "sub"), { recursive: true });
  symlinkSync(outside, path.join(p.ws, "sub"));
  assert.match((await p.revert("one", true))?.conflicts[0]?.reason ?? "", /symbolic link/);
  assert.equal(readFileSync(path.join(outside, "a"), "utf8"), "2\n");
});

test("content that was too large to keep is reported, and damaged content is never restored", async (t) => {
  const p = place(t);
  p.file("big", `${"x".repeat(200)}\n`);
  p.file("small", "1\n");
  await p.turn("one", [`*** Update File: big\n@@\n-${"x".repeat(200)}\n+y\n*** Update File: small\n@@\n-1\n+2`], {
    ...roomy,
    fileBytes: 100,
  });
  assert.match((await p.revert("one"))?.conflicts[0]?.reason ?? "", /too large/);
  assert.deepEqual((await p.revert("one", true))?.restored, [path.join(p.ws, "small")]);
  await p.turn("two", ["*** Update File: small\n@@\n-1\n+3"]);
  const folder = path.join(p.kept, "thread/two");
  for (const name of readdirSync(folder)) if (name !== "index.jsonl") writeFileSync(path.join(folder, name), "evil");
  assert.equal((await p.revert("two"))?.conflicts.length, 1);
  assert.equal(p.file("small"), "3\n");
});

test("undo data is private, and the oldest is deleted first", async (t) => {
  const p = place(t);
  p.file("a", "0\n");
  for (let i = 0; i < 5; i++) await p.turn(`turn-${i}`, [`*** Update File: a\n@@\n-${i}\n+${i + 1}`], { ...roomy, turns: 3 });
  const store = createUndoStore(p.kept, { ...roomy, turns: 3 });
  assert.equal(await store.read({ threadId: "thread", turnId: "turn-0" }), undefined);
  assert.notEqual(await store.read({ threadId: "thread", turnId: "turn-4" }), undefined);
  for (const name of readdirSync(p.kept, { recursive: true, encoding: "utf8" })) {
    const found = statSync(path.join(p.kept, name));
    assert.equal(found.mode & 0o077, 0, name);
  }
  await store.forget("thread");
  assert.equal(await store.read({ threadId: "thread", turnId: "turn-4" }), undefined);
});

test("an id that looks like a path stays inside the folder", async (t) => {
  const p = place(t);
  const store = createUndoStore(p.kept, roomy);
  await store.keep({ threadId: "../../x", turnId: ".." }, "/f", { kind: "absent" }, "m");
  assert.deepEqual(readdirSync(p.root).sort(), ["home", "ws"]);
  assert.deepEqual(await store.read({ threadId: "../../x", turnId: ".." }), [{ path: "/f", before: { kind: "absent" }, leftMark: "m" }]);
});
