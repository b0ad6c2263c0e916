/** A fleet under attack and in trouble: clients that ask for other teams' threads or flood a front, stolen links, and an engine that is slow, full or read-only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEngine } from "../../src/fleet/engine.ts";
import { timedUuid } from "../../src/lib/random.ts";
import { clientRequests } from "../../src/protocol/methods.ts";
import { noPostgres } from "../support/postgres.ts";
import type { Message } from "../support/wire.ts";
import { type FleetClient, FleetStage, refusedUpgrade } from "./stage.ts";

const turns = [
  { user: "/^slow/", steps: [{ run: "sleep 3" }, { say: "Slept." }] },
  { user: "/./", steps: [{ say: "You said {{user}}." }] },
];
const idFields = /^(?:threadId|conversationId|sourceThreadId|parentThreadId|ancestorThreadId|beforeThreadId|afterThreadId|sessionId)$/;

interface ParamsSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** What the schema requires, with the thread in every field that takes one. */
function paramsAbout(schema: ParamsSchema, id: string): Record<string, unknown> | undefined {
  const names = Object.keys(schema.properties ?? {});
  const ids = names.filter((name) => idFields.test(name));
  const paths = names.filter((name) => name === "rolloutPath" || (name === "path" && names.includes("threadId")));
  const lists = names.filter((name) => name === "threadIds" || name === "excludeThreadIds");
  if (ids.length + paths.length + lists.length === 0) return undefined;
  const usual: Readonly<Record<string, unknown>> = {
    ...{ string: "x", boolean: false, integer: 1, number: 1, array: [{ type: "text", text: "x" }], object: {} },
  };
  const required = (schema.required ?? []).map((name) => [name, usual[String(schema.properties?.[name]?.type)] ?? "x"]);
  return {
    ...Object.fromEntries(required),
    ...Object.fromEntries(ids.map((name) => [name, id])),
    ...Object.fromEntries(lists.map((name) => [name, [id]])),
    ...Object.fromEntries(paths.filter((name) => schema.required?.includes(name) === true).map((name) => [name, `parley://${id}`])),
  };
}

async function sameAnswers(client: FleetClient, foreign: string): Promise<number> {
  const none = timedUuid();
  let tried = 0;
  for (const [method, row] of Object.entries(clientRequests)) {
    const schema = row.params() as ParamsSchema;
    const both = [foreign, none].map((id) => ({ id, params: paramsAbout(schema, id) }));
    if (both[0]?.params === undefined || method === "initialize") continue;
    const answers = await Promise.all(
      both.map(async ({ id, params }) => {
        const { error, result } = await client.ask(method, params);
        return JSON.stringify(error ?? result).replaceAll(id, "ID");
      }),
    );
    assert.equal(answers[0], answers[1], `${method} tells a foreign thread from none`);
    tried++;
  }
  for (const method of ["thread/resume", "thread/fork"]) {
    const answers = [foreign, none].map((id) => client.ask(method, { threadId: timedUuid(), path: `parley://${id}` }));
    const [one, other] = (await Promise.all(answers)).map(({ error }) => String(error?.message).replaceAll(/[0-9a-f]{8}-[\w-]{27}/g, "ID"));
    assert.equal(one, other, `the path of ${method}`);
    assert.notEqual(one, "undefined");
  }
  return tried;
}

test("another team's thread is as one that does not exist in every method, and a flood hurts nobody else", {
  skip: noPostgres,
  timeout: 240_000,
}, async (t) => {
  const stage = await FleetStage.start(t, turns);
  await stage.worker("w1");
  const front = await stage.front();
  const [owner, attacker] = [await front.client(await stage.token()), await front.client(await stage.token({ team: "b", user: "eve" }))];
  const mine = await owner.startThread(stage.settings());
  await owner.turn(mine, "secret words");
  const before = await owner.call("thread/read", { threadId: mine, includeTurns: true });

  assert.ok((await sameAnswers(attacker, mine)) > 40, "the methods that take a thread");
  const listed = JSON.stringify([
    await attacker.call("thread/list", {}),
    await attacker.call("thread/loaded/list", {}),
    await attacker.call("thread/list", { searchTerm: "secret" }),
  ]);
  assert.ok(!listed.includes(mine) && !listed.includes("secret"));
  assert.ok(!JSON.stringify(attacker.messages).includes("secret"));
  assert.deepEqual(await owner.call("thread/read", { threadId: mine, includeTurns: true }), before);

  const long = "9".repeat(1_000_000);
  assert.notEqual((await attacker.ask("thread/read", { threadId: long })).error, undefined);
  attacker.send({ id: long, method: "thread/read", params: { threadId: timedUuid() } });
  await attacker.waitFor(({ id }) => id === long, "the answer to a long id");
  const flood = Array.from({ length: 6000 }, (_, i) => `flood-${i}`);
  for (const id of flood) attacker.send({ id, method: "thread/resume", params: { threadId: timedUuid() } });
  const began = performance.now();
  assert.equal((await owner.turn(mine, "beside the flood"))["status"], "completed");
  assert.ok(performance.now() - began < 60_000);
  const answered = (): number => attacker.messages.filter((m: Message) => String(m.id).startsWith("flood-")).length;
  await attacker.waitFor(() => answered() === flood.length, "an answer to each request", 120_000, attacker.messages.length - 1);
  assert.equal((await owner.turn(mine, "after the flood"))["status"], "completed");

  const [worker] = await stage.engine.query<{ url: string; link_secret: string }>("select url, link_secret from parley.workers");
  assert.ok(worker !== undefined);
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}`, "parley-team": "a" });
  for (const secret of ["", "x", await stage.token(), worker.link_secret.slice(1)])
    assert.equal(await refusedUpgrade(worker.url, bearer(secret)), 401, "a worker serves fronts alone");
});

test("a worker's secret ends with its process", { skip: noPostgres }, async (t) => {
  const stage = await FleetStage.start(t, turns);
  const secretOf = async (): Promise<{ url: string; link_secret: string } | undefined> =>
    (await stage.engine.query<{ url: string; link_secret: string }>("select url, link_secret from parley.workers"))[0];
  const first = await stage.worker("w1");
  const stolen = await secretOf();
  await first.kill();
  await stage.worker("w1");
  let now = await secretOf();
  // The dead one's row stands until its lease is over.
  for (; now?.link_secret === stolen?.link_secret; now = await secretOf()) await sleep(50);
  assert.ok(now !== undefined && stolen !== undefined);
  const headers = { authorization: `Bearer ${stolen.link_secret}`, "parley-team": "a" };
  assert.equal(await refusedUpgrade(now.url, headers), 401);
});

test("an engine that is locked, full or read-only for a while interrupts no turn and costs no worker its place", {
  skip: noPostgres,
  timeout: 240_000,
}, async (t) => {
  const stage = await FleetStage.start(t, turns);
  await stage.workers("w1", "w2");
  const front = await stage.front();
  const client = await front.client(await stage.token());
  const threadId = await client.startThread(stage.settings());
  await client.turn(threadId, "hello");
  const boots = (): Promise<unknown> => stage.engine.query("select name, boot, lost from parley.workers order by name");
  const known = await boots();
  const admin = await openEngine({ address: stage.postgres.address, name: "admin", connections: 1 });
  t.after(() => admin.close());

  const slow = await client.startTurn(threadId, "slow while the tables are locked");
  await admin.query("begin; lock table parley.threads, parley.log in access exclusive mode; select pg_sleep(4); commit");
  assert.equal((await client.turnEnd(slow))["status"], "completed");

  const full = await client.startTurn(threadId, "slow while no connection is left");
  await stage.engine.query("alter database postgres connection limit 0");
  await stage.engine.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parley%'");
  await sleep(1000);
  await stage.engine.query("alter database postgres connection limit -1");
  assert.equal((await client.turnEnd(full))["status"], "completed");

  const standby = await client.startTurn(threadId, "slow while the engine is read-only, as one that is about to become the primary");
  await stage.engine.query("alter database postgres set default_transaction_read_only = on");
  await stage.engine.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parley%'");
  await sleep(5000);
  await admin.query("begin read write; alter database postgres reset default_transaction_read_only; commit");
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parley%'");
  assert.equal((await client.turnEnd(standby))["status"], "completed");
  assert.equal((await client.turn(threadId, "again"))["status"], "completed");
  assert.deepEqual(await boots(), known, "nobody was declared lost");
});
