/** Event streams that do not read, or missed a lot: nobody else is affected, and they can reconnect. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { adminToken, PlayedEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";

async function opened(t: TestContext): Promise<TestManager> {
  const { folder, remove } = scratchFolder();
  const it = await startManager({ engine: new PlayedEngine(), folder, workspace: "/work" });
  t.after(async () => {
    await it.close();
    remove();
  });
  return it;
}
/** Publishes many events of a kilobyte each, in batches that a reader can follow. */
async function publish(it: TestManager, count: number): Promise<void> {
  const text = "x".repeat(1000);
  for (let i = 0; i < count; i++) {
    it.backend.hub.emit("notification", null, { method: "warning", params: { message: `${i} ${text}` } });
    if (i % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
const seqOf = (message: Record<string, unknown>): number => Number(message["seq"] ?? 0);

test("a stream that is not read is closed with 1013, others receive everything, and it can reconnect", async (t) => {
  const it = await opened(t);
  const reader = await it.stream();
  const deaf = new WebSocket(`${it.url.replace("http", "ws")}/api/stream`, { headers: { authorization: `Bearer ${adminToken}` } });
  t.after(() => deaf.terminate());
  const received: Record<string, unknown>[] = [];
  deaf.on("message", (data) => received.push(JSON.parse(String(data)) as Record<string, unknown>));
  await once(deaf, "message");
  deaf.pause();
  await publish(it, 40_000);
  await reader.until((m) => seqOf(m) === it.backend.hub.seq);
  const numbers = reader.messages.filter((m) => m["type"] === "notification").map(seqOf);
  assert.deepEqual([numbers.length, numbers.at(-1)], [40_000, it.backend.hub.seq]);
  const closed = once(deaf, "close");
  deaf.resume();
  assert.equal((await closed)[0], 1013);
  const last = received.at(-1) ?? {};
  assert.ok(received.length < 40_000);
  const back = await it.stream(`?since=${seqOf(last)}&bootId=${it.backend.hub.bootId}`);
  assert.equal((await back.until((m) => m["type"] === "resync"))["reason"], "too much was missed");
  back.close();
  reader.close();
});

test("missed events are replayed up to a limit, beyond which a client must reload", async (t) => {
  const it = await opened(t);
  await publish(it, 1000);
  const little = await it.stream("?since=0");
  await little.until((m) => seqOf(m) === 1000 && m["type"] === "notification");
  little.close();
  await publish(it, 4000);
  const much = await it.stream("?since=0");
  await much.until((m) => m["type"] === "resync");
  assert.deepEqual(
    much.messages.map((m) => m["type"]),
    ["ready", "resync"],
  );
  much.close();
});
