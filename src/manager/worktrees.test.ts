/** The worktree of a session from its start to its end, and going back in files alone; with an engine whose answers the test chooses. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openedWith, type PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../../test/support/manager.ts";
import { ableEngine } from "../../test/support/manager-calls.ts";
import { invalidRequest } from "../protocol/errors.ts";

describe("a session's worktree", () => {
  const scratch = scratchFolder();
  let engine: PlayedEngine;
  let it: TestManager;
  let started = 0;
  before(async () => {
    engine = ableEngine();
    engine.on("thread/start", ({ cwd }) => openedWith(threadOf(`w-${++started}`, { cwd: String(cwd) })));
    engine.on("thread/fork", () => openedWith(threadOf("w-fork", { cwd: "/tree/work" })));
    it = await startManager({ engine, folder: scratch.folder, workspace: "/work" });
  });
  after(async () => {
    await it.close();
    scratch.remove();
  });
  const removals = (): unknown[] => engine.calls.filter(({ method }) => method === "git/worktree/remove").map(({ params }) => params);
  const start = async (): Promise<{ status: number; session: Record<string, unknown> }> => {
    const { status, body } = await it.call("POST /api/sessions", { cwd: "/work", worktree: true });
    return { status, session: body["session"] as Record<string, unknown> };
  };

  test("a session starts in it, and its summary and its forks name it", async () => {
    const { session } = await start();
    assert.equal(session["cwd"], "/tree/work");
    const { root, branch } = session["worktree"] as { root: string; branch: string };
    assert.equal(root, "/work");
    assert.match(branch, /^parley\/\d{4}-\d{2}-\d{2}-[0-9a-f]{6}$/);
    const { body } = await it.call("POST /api/sessions/w-1/fork", {});
    assert.deepEqual((body["session"] as Record<string, unknown>)["worktree"], { root, branch });
  });

  test("it stays while a fork uses it, and goes with the last session if nothing in it would be lost", async () => {
    await it.call("DELETE /api/sessions/w-1");
    assert.deepEqual(removals(), []);
    await it.call("DELETE /api/sessions/w-fork");
    assert.deepEqual(removals(), [{ cwd: "/tree/work", onlyIfMerged: true }]);
    assert.deepEqual(it.backend.store.state.worktrees, {});
  });

  test("it is removed again when the session cannot be started", async () => {
    const before = removals().length;
    engine.on("thread/start", () => {
      throw invalidRequest("no");
    });
    assert.equal((await it.call("POST /api/sessions", { cwd: "/work", worktree: true })).status, 409);
    assert.deepEqual(removals().slice(before), [{ cwd: "/tree/work" }]);
    engine.on("thread/start", ({ cwd }) => openedWith(threadOf(`w-${++started}`, { cwd: String(cwd) })));
  });

  test("conflicts are named and end nothing; a merge archives the session", async () => {
    const { session } = await start();
    const at = `/api/sessions/${String(session["sessionId"])}/git/worktree/merge`;
    const conflicts = [{ path: "a", reason: "changed on both sides" }];
    engine.on("git/worktree/merge", () => ({ into: "main", sha: "1", conflicts }));
    const refused = await it.call(`POST ${at}`, {});
    assert.deepEqual([refused.status, refused.body["code"], refused.body["details"]], [409, "conflicts", conflicts]);
    assert.match(String(refused.body["message"]), /nothing was changed: a \(changed on both sides\)/);
    engine.on("git/worktree/merge", () => ({ into: "main", sha: "1", conflicts: [] }));
    const merged = await it.call(`POST ${at}`, {});
    const summary = merged.body["session"] as Record<string, unknown>;
    assert.deepEqual([merged.status, merged.body["into"], summary["archived"], summary["worktree"]], [200, "main", true, undefined]);
  });

  test("files alone are restored only when somebody says how, and conflicts stop it before anything is done", async () => {
    const back = (body: object) => it.call("POST /api/sessions/s-1/rollback", body);
    assert.equal((await back({ conversation: false })).status, 400);
    engine.on("turn/revert/check", () => ({ files: [], conflicts: [{ path: "/project/a", reason: "it was changed since the turn" }] }));
    const before = engine.calls.length;
    const refused = await back({ conversation: false, files: "restore" });
    assert.deepEqual([refused.status, refused.body["code"]], [409, "files_changed"]);
    const called = engine.calls.slice(before).map(({ method }) => method);
    assert.ok(!called.includes("turn/revert") && !called.includes("thread/rollback"), called.join());
  });
});
