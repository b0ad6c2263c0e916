/** A worker in this process that leaves: at the moments between two steps, where a turn could begin in a thread that is being given up. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { ThreadLost } from "../../src/core/ports/thread-store.ts";
import { type Engine, openEngine } from "../../src/fleet/engine.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { putTeam } from "../../src/fleet/teams.ts";
import { createApp } from "../../src/main/compose.ts";
import { type FleetWorker, startWorker } from "../../src/main/fleet-worker.ts";
import type { App } from "../../src/server/app.ts";
import { atEnd } from "../support/ending.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";
import { scratch } from "../support/process.ts";
import { writeHome } from "../support/verifies.ts";
import { FleetClient } from "./stage.ts";

interface Stage {
  readonly engine: Engine;
  readonly worker: FleetWorker;
  readonly client: FleetClient;
  readonly app: App;
  readonly folder: string;
}

async function stage(t: TestContext): Promise<Stage> {
  const folder = scratch(t);
  writeHome(folder, { turns: [{ user: "/./", steps: [{ say: "Hello." }] }] });
  const postgres = await Postgres.start(t);
  const engine = await openEngine({ address: postgres.address, name: "test" });
  atEnd(t, () => engine.close());
  await upgradeSchema(engine);
  await putTeam(engine, "a", {});
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: folder };
  const apps: App[] = [];
  const worker = await startWorker({
    ...{ address: postgres.address, name: "w1", host: "127.0.0.1", port: 0, labels: [], teams: [], maxThreads: null },
    ...{ log, codexHome: folder, env, say: () => {}, signal: new AbortController().signal },
    open: (storage) => {
      const app = createApp({ codexHome: folder, systemDir: folder, log, env, storage });
      apps.push(app);
      return app;
    },
  });
  atEnd(t, () => worker.close());
  const [row] = await engine.query<{ link_secret: string }>("select link_secret from parley.workers");
  const headers = { authorization: `Bearer ${row?.link_secret}`, "parley-team": "a", "parley-user": "ann" };
  const ws = new WebSocket(worker.url, { headers });
  const client = new FleetClient(ws);
  atEnd(t, () => ws.terminate());
  await once(ws, "open");
  await client.call("initialize", { clientInfo: { name: "front", title: null, version: "1" }, capabilities: { experimentalApi: true } });
  const [app] = apps;
  assert.ok(app !== undefined);
  return { engine, worker, client, app, folder };
}

const placeOf = async (engine: Engine, threadId: string): Promise<object | undefined> =>
  (await engine.query<object>("select holder, state, moved from parley.threads where id = $1", [threadId]))[0];

test("no turn begins in a thread that is being given up, so that none is left to be interrupted", {
  skip: noPostgres,
}, async (t) => {
  const { engine, client, app, folder } = await stage(t);
  const threadId = await client.startThread({ cwd: folder });
  await client.turn(threadId, "hello");
  const thread = app.threads.require(threadId);
  const unloading = app.threads.unload(threadId);
  assert.throws(() => thread.startTurn({ content: [{ type: "text", text: "late" }] }, {}), ThreadLost);
  assert.throws(() => thread.startSpecial("compact", async () => ({ status: "completed" })), ThreadLost);
  await unloading;
  await app.store.close();
  assert.deepEqual(await placeOf(engine, threadId), { holder: null, state: "idle", moved: "released" });
  const late = await client.ask("turn/start", { threadId, input: [{ type: "text", text: "late" }] });
  assert.deepEqual(late["error"].data, { heldByAnotherProcess: true }, "its front asks elsewhere");
});

test("what is left of a turn whose thread was lost stores nothing, also where the same worker holds the thread anew", {
  skip: noPostgres,
}, async (t) => {
  const { engine, client, app, folder } = await stage(t);
  const threadId = await client.startThread({ cwd: folder });
  await client.turn(threadId, "hello");
  const lost = app.threads.require(threadId);
  await engine.query("update parley.threads set holder = null, boot = null, moved = 'lost' where id = $1", [threadId]);
  while (app.threads.find(threadId) !== undefined) await engine.query("select pg_sleep(0.05)"); // it compares once a second
  await client.call("thread/resume", { threadId });
  assert.notEqual(app.threads.require(threadId), lost);
  const item = { type: "agentMessage", id: "late", text: "late", phase: null } as const;
  await assert.rejects(lost.record([{ type: "item", turnId: "t", item: item as never, startedAtMs: 1, completedAtMs: 2 }]), ThreadLost);
  assert.equal((await client.turn(threadId, "on")).status, "completed");
});

test("a worker that leaves waits for a thread that it is about to get, and gives it up too", {
  skip: noPostgres,
}, async (t) => {
  const { engine, worker, client, app, folder } = await stage(t);
  const threadId = await client.startThread({ cwd: folder });
  await client.turn(threadId, "hello");
  await app.threads.unload(threadId);
  await app.store.close();
  const locked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  atEnd(t, () => free.resolve());
  const holding = engine.transaction(async (query) => {
    await query("select 1 from parley.threads where id = $1 for update", [threadId]);
    locked.resolve();
    await free.promise;
  });
  await locked.promise;
  const resumed = client.ask("thread/resume", { threadId });
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%parley.claim%'";
  while ((await engine.query(waiting)).length === 0);
  let hasLeft = false;
  const leaving = worker.drain(new AbortController().signal).then(() => {
    hasLeft = true;
  });
  const drained = "select 1 from parley.workers where draining";
  while ((await engine.query(drained)).length === 0);
  // Several looks of the worker at what is left.
  await engine.query("select pg_sleep(0.5)");
  assert.equal(hasLeft, false, "it left although it was about to get a thread");
  free.resolve();
  await Promise.all([holding, resumed, leaving]);
  assert.deepEqual(await placeOf(engine, threadId), { holder: null, state: "idle", moved: "drained" });
});

test("a thread that was lost while it was opened is not opened: its next turn would fail when its first command begins", {
  skip: noPostgres,
}, async (t) => {
  const { engine, client, app, folder } = await stage(t);
  const threadId = await client.startThread({ cwd: folder });
  await client.turn(threadId, "hello");
  await app.threads.unload(threadId);
  await app.store.close();
  const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  atEnd(t, () => free.resolve());
  const holding = engine.transaction(async (query) => {
    await query("lock table parley.questions in access exclusive mode");
    locked.resolve();
    await free.promise;
  });
  await locked.promise;
  const opening = app.threads.resume(threadId, { originator: "test" });
  const refused = assert.rejects(opening, ThreadLost);
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from parley.questions%'";
  while ((await engine.query(waiting)).length === 0);
  await engine.query("update parley.workers set lost = true");
  await client.closed;
  free.resolve();
  await Promise.all([holding, refused]);
  assert.equal(app.threads.find(threadId), undefined);
});
