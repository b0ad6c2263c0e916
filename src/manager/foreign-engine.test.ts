/** A remote engine that sends arbitrary data: nothing is acted on unless it matches the protocol, and counts are bounded. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openedWith, PlayedEngine, scratchFolder, startManager, type TestManager, threadOf } from "../../test/support/manager.ts";

async function opened(t: TestContext): Promise<{ engine: PlayedEngine; it: TestManager }> {
  const { folder, remove } = scratchFolder();
  const engine = new PlayedEngine(true)
    .on("thread/read", ({ threadId }) => ({ thread: threadOf(String(threadId)) }))
    .on("thread/resume", ({ threadId }) => openedWith(threadOf(String(threadId))));
  const it = await startManager({ engine, folder, workspace: "/work" });
  t.after(async () => {
    await it.close();
    remove();
  });
  return { engine, it };
}

test("invalid messages of a remote engine are rejected, and the manager keeps running", async (t) => {
  const { engine, it } = await opened(t);
  const stream = await it.stream();
  const wrong: readonly (readonly [string, unknown])[] = [
    ["turn/completed", { threadId: 5 }],
    ["turn/completed", { threadId: "t", turn: 7 }],
    ["turn/completed", { threadId: "t", turn: { id: {}, items: "none" } }],
    ["thread/started", { thread: { id: {} } }],
    ["item/completed", { threadId: "t", turnId: "u", item: [] }],
    ["turn/plan/updated", { threadId: "t", turnId: "u", plan: { length: 1e9 } }],
    ["thread/tokenUsage/updated", { threadId: "t", tokenUsage: "much" }],
  ];
  for (const [method, params] of wrong) engine.notify(method, params);
  for (const params of [null, [], 7, "x"]) engine.notify("turn/completed", params);
  engine.notify("m".repeat(100_000), {});
  engine.ask("odd", "item/commandExecution/requestApproval", { threadId: 7, command: { toString: 1 } });
  engine.notify("warning", { message: "the last", threadId: null });
  const last = await stream.until((m) => JSON.stringify(m).includes("the last"));
  assert.ok(last);
  const notifications = stream.messages.filter((m) => m["type"] === "notification");
  assert.deepEqual(
    notifications.map((m) => (m["payload"] as Record<string, unknown>)["method"]),
    ["warning"],
  );
  assert.deepEqual(engine.answers.get("odd"), { error: "the question does not fit the protocol" });
  assert.deepEqual((await it.call("GET /api/pending")).body["data"], []);
  assert.ok(it.warnings.length <= 20, `${it.warnings.length} lines of the log`);
  stream.close();
});

test("an engine that keeps asking is refused once two hundred requests are pending", async (t) => {
  const { engine, it } = await opened(t);
  const asked = { threadId: "t", turnId: "u", itemId: "i", startedAtMs: 1, command: "ls", cwd: "/work" };
  for (let i = 0; i < 210; i++) engine.ask(i, "item/commandExecution/requestApproval", { ...asked, itemId: `i${i}` });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(it.backend.requests.list().length, 200);
  assert.match(JSON.stringify(engine.answers.get(209)), /200 questions are waiting/);
});
