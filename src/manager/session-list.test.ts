/** The paginated session list: stored sessions of the engine, and new ones without a message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { realEngine, scratchFolder, startManager } from "../../test/support/manager.ts";

test("a page of sessions has as many as its limit, including those without a message, and each session is on one page", async (t) => {
  const scratch = scratchFolder();
  t.after(scratch.remove);
  const { engine, close } = realEngine(scratch.folder, scratch.workspace, "loop: true\nturns:\n  - - say: Hello there.\n");
  const it = await startManager({ engine, folder: scratch.folder, workspace: scratch.workspace, onClose: close });
  t.after(() => it.close());
  const stream = await it.stream();
  const begun: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { body } = await it.call("POST /api/sessions", { cwd: it.workspace });
    begun.push((body["session"] as { sessionId: string }).sessionId);
  }
  for (const id of begun.slice(3)) {
    await it.call(`POST /api/sessions/${id}/messages`, { text: "hello" });
    await stream.until((m) => m["type"] === "notification" && (m["payload"] as { method: string }).method === "turn/completed");
  }
  stream.close();
  const listed: string[] = [];
  for (let cursor: unknown = null, pages = 0; pages === 0 || cursor !== null; pages++) {
    const { body } = await it.call(`GET /api/sessions?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
    const ids = (body["data"] as { sessionId: string }[]).map(({ sessionId }) => sessionId);
    assert.ok(ids.length <= 2, `${ids.length} on a page of 2`);
    listed.push(...ids);
    cursor = body["nextCursor"];
  }
  assert.deepEqual(listed.toSorted(), begun.toSorted());
  assert.equal((await it.call("GET /api/sessions?cursor=new:x")).status, 400);
});
