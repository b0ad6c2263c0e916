/** A front before real workers: routes, placement, moves, questions, doors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { noPostgres } from "../support/postgres.ts";
import type { Message } from "../support/wire.ts";
import { type FleetClient, FleetStage, refusedUpgrade } from "./stage.ts";

const turns = [
  { user: "/ask/", steps: [{ run: "echo asked >> asked" }, { say: "Asked." }] },
  { user: "/long/", steps: [{ say: "begun" }, { run: "sleep 30" }, { say: "never" }] },
  { user: "/./", steps: [{ say: "You said {{user}}.", deltas: 5 }] },
];
const asks = "item/commandExecution/requestApproval";
const isQuestion = ({ method }: Message): boolean => method === asks;
const itemsTold = (client: FleetClient): string[] =>
  client.messages.filter((m) => m.method === "item/completed").map(({ params }) => `${params.threadId} ${params.turnId} ${params.item.id}`);

test("a fleet behind two fronts", { skip: noPostgres, timeout: 240_000 }, async (t) => {
  const stage = await FleetStage.start(t, turns);
  let [w1, w2] = await Promise.all([stage.worker("w1"), stage.worker("w2", "--label", "gpu")]);
  const [one, two] = await Promise.all([stage.front(), stage.front()]);
  const [token, others, admin] = await Promise.all([stage.token(), stage.token({ team: "b", user: "bob" }), stage.adminToken()]);
  const client = await one.client(token);
  const revoked = await stage.token({ user: "eve" });
  const eve = await two.client(revoked);
  await stage.engine.query("delete from parley.tokens where username = 'eve'");

  await t.test("doors", async () => {
    assert.deepEqual(await one.get("/api/health"), { status: 200, body: '{"ok":true}' });
    for (const headers of [{}, { authorization: "Bearer parley_fleet_no" }, { authorization: `Basic ${token}` }] as const)
      assert.equal(await refusedUpgrade(`${one.url}/rpc`, { ...headers }), 401);
    assert.equal(await refusedUpgrade(`${one.url}/rpc?token=${token}`, {}), 401);
    assert.equal(await refusedUpgrade(`${one.url}/other`, { authorization: `Bearer ${token}` }), 404);
    const status = JSON.parse((await one.get("/api/fleet", admin)).body);
    assert.deepEqual(
      status.workers.map((w: Message) => [w.name, w.state]),
      [
        ["w1", "up"],
        ["w2", "up"],
      ],
    );
  });

  await t.test("routes and placement", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => client.startThread(stage.settings())));
    const holders = await Promise.all(ids.map((id) => stage.holder(id)));
    // Requests that come in one after another meet lists of different moments; the exact shares: test/scenarios/fleet.
    const counts = ["w1", "w2"].map((name) => holders.filter((holder) => holder === name).length);
    assert.ok(Math.min(...counts) >= 3, String(counts));
    const ends = await Promise.all(ids.map((id) => client.turn(id, "hello")));
    assert.deepEqual([...new Set(ends.map(({ status }) => status))], ["completed"]);
    const labelled = await client.startThread(stage.settings({ config: { "fleet.labels": ["gpu"] } }));
    assert.equal(await stage.holder(labelled), "w2");
    assert.match((await client.ask("thread/start", { config: { "fleet.labels": ["tpu"] } })).error.message, /"tpu"/);
    // Any front, any thread of the team.
    const second = await two.client(token);
    const { thread } = await second.call("thread/resume", { threadId: ids[0] });
    assert.equal(thread.turns.length, 1);
    const turnId = await second.startTurn(ids[0] ?? "", "from the second");
    for (const each of [client, second]) assert.equal((await each.turnEnd(turnId)).status, "completed");
    const listed = await second.call("thread/list", { limit: 50 });
    assert.deepEqual([...new Set(listed.data.map((each: Message) => each.status.type))], ["idle"]);
    assert.deepEqual(new Set((await second.call("thread/loaded/list")).data), new Set([...ids, labelled]));
    // Another team's thread is as one that does not exist.
    const stranger = await two.client(others);
    const absent = "01900000-0000-7000-8000-000000000000";
    for (const [method, more] of [
      ["thread/read", {}],
      ["thread/resume", {}],
      ["turn/start", { input: [] }],
      ["thread/archive", {}],
    ] as const) {
      const [foreign, missing] = await Promise.all([ids[0], absent].map((threadId) => stranger.ask(method, { threadId, ...more })));
      assert.equal(JSON.stringify(foreign?.error).replaceAll(ids[0] ?? "", absent), JSON.stringify(missing?.error), method);
    }
    assert.deepEqual((await stranger.call("thread/list")).data, []);
    const looking = await two.client(await stage.token({ rights: "look" }));
    assert.equal((await looking.call("thread/resume", { threadId: ids[0] })).thread.turns.length, 2);
    assert.equal((await looking.ask("turn/start", { threadId: ids[0], input: [] })).error.data.reason, "fleet_rights");
    for (const each of [second, stranger, looking]) each.close();
  });

  await t.test("a killed worker", async () => {
    const threadId = await client.startThread(stage.settings({ config: { "fleet.labels": ["gpu"] } }));
    await client.turn(threadId, "before");
    // Only a worker with the label may take it over.
    const free = await client.startThread(stage.settings());
    const holder = (await stage.holder(free)) === "w1" ? w1 : w2;
    const running = await client.startTurn(free, "long");
    await client.waitFor(
      (m) => m.method === "item/started" && m.params.turnId === running && m.params.item.type === "commandExecution",
      "the command",
    );
    const before = client.messages.length;
    const started = performance.now();
    await holder.kill();
    const moved = await client.moved(free, undefined, before);
    const told = performance.now() - started;
    assert.equal(moved.reason, "lost");
    assert.equal(moved.worker, holder === w1 ? "w2" : "w1");
    assert.equal((await client.turnEnd(running)).status, "interrupted");
    assert.ok(told < 5000, `told after ${told} ms`);
    t.diagnostic(`told ${told.toFixed(0)} ms after kill -9`);
    assert.equal((await client.turn(free, "again")).status, "completed");
    const ids = itemsTold(client);
    assert.equal(new Set(ids).size, ids.length, "nothing durable is told twice");
    if (holder === w1) w1 = await stage.worker("w1");
    else w2 = await stage.worker("w2", "--label", "gpu");
    assert.equal((await client.turn(threadId, "after")).status, "completed");
  });

  await t.test("a thread that only an absent worker may run is read meanwhile", async () => {
    const threadId = await client.startThread(stage.settings({ config: { "fleet.labels": ["gpu"] } }));
    await client.turn(threadId, "before");
    await w2.kill();
    const read = await client.ask("thread/read", { threadId, includeTurns: true }, 20_000);
    assert.deepEqual(
      read.result.thread.turns.map(({ status }: Message) => status),
      ["completed"],
    );
    w2 = await stage.worker("w2", "--label", "gpu");
    assert.equal((await client.turn(threadId, "after")).status, "completed");
  });

  await t.test("a question over a worker's death, answered under its old id, and by another client", async () => {
    for (const byAnother of [false, true]) {
      const threadId = await client.startThread(stage.settings({ approvalPolicy: "untrusted" }));
      const turnId = await client.startTurn(threadId, "ask");
      const isOurs = (m: Message): boolean => isQuestion(m) && m.params.threadId === threadId;
      const asked = await client.waitFor(isOurs, "the question");
      const holder = await stage.holder(threadId);
      await (holder === "w1" ? w1 : w2).kill();
      await client.moved(threadId);
      stage.script([{ user: "/ask/", steps: [{ say: "Asked." }] }]);
      const second = byAnother ? await two.client(token) : undefined;
      if (second === undefined) client.send({ id: asked.id, result: { decision: "accept" } });
      else {
        await second.call("thread/resume", { threadId });
        const again = await second.waitFor(isOurs, "the question again");
        second.send({ id: again.id, result: { decision: "accept" } });
      }
      assert.equal((await client.turnEnd(turnId)).status, "completed");
      await client.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === asked.id, "its end");
      assert.equal(client.messages.filter(isOurs).length, 1, "it is not put twice");
      second?.close();
      stage.script(turns);
      if (holder === "w1") w1 = await stage.worker("w1");
      else w2 = await stage.worker("w2", "--label", "gpu");
    }
    assert.equal(readFileSync(path.join(stage.workspace, "asked"), "utf8"), "asked\nasked\n", "each command ran once");
  });

  await t.test("a hung worker", async () => {
    const threadId = await client.startThread(stage.settings());
    await client.turn(threadId, "before");
    const holder = (await stage.holder(threadId)) === "w1" ? w1 : w2;
    const started = performance.now();
    holder.signal("SIGSTOP");
    const inFlight = client.ask("turn/start", { threadId, input: [{ type: "text", text: "lost" }] });
    await client.moved(threadId);
    const told = performance.now() - started;
    assert.ok(told < 5000, `told after ${told} ms`);
    t.diagnostic(`told ${told.toFixed(0)} ms after SIGSTOP`);
    assert.equal((await inFlight).error.data.reason, "fleet_moved");
    holder.signal("SIGCONT");
    assert.equal((await client.turn(threadId, "after")).status, "completed");
  });

  await t.test("a drained worker, and a front that ends", async () => {
    const threadId = await client.startThread(stage.settings());
    await client.turn(threadId, "before");
    const name = await stage.holder(threadId);
    const worker = name === "w1" ? w1 : w2;
    worker.signal("SIGTERM");
    assert.equal((await client.moved(threadId)).reason, "drained");
    assert.equal(await worker.ended, 0);
    assert.equal((await client.turn(threadId, "after")).status, "completed");
    one.process.signal("SIGTERM");
    assert.equal(await client.closed, 1012);
    assert.equal(await one.process.ended, 0);
    const back = await two.client(token);
    const { thread } = await back.call("thread/resume", { threadId });
    assert.equal(thread.turns.length, 2);
    assert.equal((await back.turn(threadId, "at another front")).status, "completed");
    // A revoked token has ended its connections by now, and opens none.
    assert.equal(await eve.closed, 1008);
    assert.equal(await refusedUpgrade(`${two.url}/rpc`, { authorization: `Bearer ${revoked}` }), 401);
  });
});
