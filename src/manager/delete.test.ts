/** Deleting a session: the engine is asked first, and a session that it keeps is left unchanged. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openedWith, PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../../test/support/manager.ts";
import { RpcError } from "../protocol/errors.ts";

const turn = { id: "turn-1", items: [], status: "inProgress", error: null, startedAt: null, completedAt: null, durationMs: null };

describe("deleting a session", () => {
  const scratch = scratchFolder();
  const engine = new PlayedEngine()
    .on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }))
    .on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))))
    .on("turn/interrupt", () => ({}));
  let it: TestManager;
  before(async () => {
    it = await startManager({ engine, folder: scratch.folder, workspace: "/work" });
    await it.call("POST /api/sessions/s-1/resume", {});
    const stream = await it.stream();
    engine.notify("turn/started", { threadId: "s-1", turn });
    await stream.until((m) => m["type"] === "app_server.turn.started");
    stream.close();
  });
  after(async () => {
    await it.close();
    scratch.remove();
  });
  const asked = (): string[] => engine.calls.map(({ method }) => method).filter((method) => /interrupt|delete/.test(method));

  test("a session that the engine refuses to delete keeps its running turn", async () => {
    engine.on("thread/delete", () => {
      throw new RpcError(-32_600, "forks refer to this thread: s-2");
    });
    const { status, body } = await it.call("DELETE /api/sessions/s-1");
    assert.deepEqual([status, body["code"], body["message"]], [409, "invalid_state", "forks refer to this thread: s-2"]);
    assert.deepEqual(asked(), ["thread/delete"]);
    assert.equal((await it.backend.sessions.require("s-1")).activeTurnId, "turn-1");
  });

  test("a deleted session is gone with its turn, which the engine ends", async () => {
    engine.on("thread/delete", () => ({}));
    assert.equal((await it.call("DELETE /api/sessions/s-1")).status, 200);
    assert.deepEqual(asked(), ["thread/delete", "thread/delete"]);
    assert.equal((await it.call("GET /api/sessions/s-1")).status, 410);
  });
});
