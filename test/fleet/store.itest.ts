/** The shared store over a real PostgreSQL: the behaviours of the local one, and that only the holder of a thread writes it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenQuestions } from "../../src/core/ports/open-questions.ts";
import type { ThreadMeta, ThreadQuery, ThreadRecord, ThreadStore } from "../../src/core/ports/thread-store.ts";
import { ThreadHeld, ThreadLost } from "../../src/core/ports/thread-store.ts";
import { createSharedAudit } from "../../src/fleet/audit.ts";
import { createSharedGoals, createSharedQueue } from "../../src/fleet/belongings.ts";
import { type Engine, openEngine } from "../../src/fleet/engine.ts";
import type { Held } from "../../src/fleet/leases.ts";
import { leaseMs, Membership } from "../../src/fleet/membership.ts";
import { createSharedQuestions } from "../../src/fleet/questions.ts";
import { createRegistry } from "../../src/fleet/registry.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { createSharedStore } from "../../src/fleet/store.ts";
import { TakeOver } from "../../src/fleet/take-over.ts";
import { WorkerState } from "../../src/fleet/worker-state.ts";
import { randomUuid } from "../../src/lib/random.ts";
import { settingsFromContext } from "../../src/store/rollout/turn-context.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function fleet(t: TestContext): Promise<{ postgres: Postgres; engine: Engine }> {
  const postgres = await Postgres.start(t);
  const engine = await openEngine({ address: postgres.address, name: "test" });
  t.after(() => engine.close());
  await upgradeSchema(engine);
  await engine.query("insert into parley.teams (name) values ('a'), ('b')");
  return { postgres, engine };
}

interface TestWorker {
  readonly state: WorkerState;
  readonly store: ThreadStore;
}

async function join(
  t: TestContext,
  postgres: Postgres,
  name: string,
  more: { labels?: string[]; maxThreads?: number; through?: (engine: Engine) => Engine } = {},
): Promise<TestWorker> {
  const direct = await openEngine({ address: postgres.address, name });
  const engine = more.through?.(direct) ?? direct;
  const member = new Membership({
    ...{ engine, log: quiet, name, version: "test", url: "ws://127.0.0.1:1", linkSecret: "s", certSha256: null },
    ...{ labels: more.labels ?? [], teams: [], maxThreads: more.maxThreads ?? null },
  });
  await member.join();
  member.start();
  const state = new WorkerState(engine, member);
  t.after(async () => {
    await member.leave().catch(() => {});
    state.close();
    await engine.close().catch(() => {});
  });
  return { state, store: createSharedStore(state, "a") };
}

const meta = (id: string, more: Partial<ThreadMeta> = {}): ThreadRecord => ({
  type: "meta",
  meta: {
    ...{ id, createdAtMs: Date.now(), cwd: "/work", originator: "test", cliVersion: "1", source: "vscode" },
    ...{ modelProvider: "scripted", baseInstructions: undefined },
    ...more,
  },
});
const said = (turnId: string, text: string): ThreadRecord => ({
  type: "item",
  turnId,
  item: { type: "userMessage", id: `m-${text}`, content: [{ type: "text", text }] },
  startedAtMs: 5,
  completedAtMs: 6,
});
const started = (turnId: string): ThreadRecord => ({
  ...{ type: "turnStarted", turnId, atMs: Date.now(), contextWindow: undefined, mode: "default" },
});
const ended = (turnId: string): ThreadRecord => ({
  ...{ type: "turnEnded", turnId, status: "completed", error: null, lastAgentMessage: null, atMs: 9, durationMs: 4 },
});
const turn = (turnId: string, text: string): ThreadRecord[] => [started(turnId), said(turnId, text), ended(turnId)];

const limits = { sandboxPolicy: { type: "dangerFullAccess" }, approvalPolicy: "untrusted" } as const;
const asking: OpenQuestions["turn"] = {
  ...{ type: "turn", turnId: "t1", configured: limits, ofThread: limits, overrides: {}, waiting: [] },
  settings: settingsFromContext({ cwd: "/w", model: "m" }, { modelProvider: "p", workspaceRoots: ["/w"] }),
};

const everything: ThreadQuery = {
  ...{ cursor: null, limit: 100, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};

async function made(store: ThreadStore, text: string, more: Partial<ThreadMeta> = {}): Promise<string> {
  const id = randomUuid();
  const lease = await store.lease(id, "test");
  await store.append(id, [meta(id, more), ...turn("t1", text)]);
  lease.release();
  await store.close();
  return id;
}

test("records come back, threads are listed, searched, renamed, archived and deleted as on one machine", {
  skip: noPostgres,
}, async (t) => {
  const { postgres, engine } = await fleet(t);
  const { state, store } = await join(t, postgres, "w1");
  const other = createSharedStore(state, "b");

  const id = randomUuid();
  const lease = await store.lease(id, "test");
  assert.equal(await store.find(id), undefined);
  await store.append(id, [meta(id, { createdAtMs: 1000 }), ...turn("t1", 'Hello\0 \ud800 "there"')]);
  await Promise.all([store.append(id, turn("t2", "second")), store.append(id, turn("t3", "third"))]);
  const read = await store.read(id);
  assert.deepEqual(
    read.map((record) => ("turnId" in record ? `${record.type} ${record.turnId}` : record.type)),
    ["meta", ...["t1", "t2", "t3"].flatMap((name) => [`turnStarted ${name}`, `item ${name}`, `turnEnded ${name}`])],
  );
  assert.equal(await store.read(id), read);
  assert.deepEqual(await other.read(id), []);
  assert.equal(await other.find(id), undefined);
  await assert.rejects(other.append(id, turn("t4", "x")), ThreadLost);
  assert.equal(store.pathFor(id, 0), `parley://${id}`);
  assert.equal(await store.adopt(`parley://${id}`), id);
  await assert.rejects(store.adopt("/tmp/rollout.jsonl"), /by its id/);
  const log = await engine.query<{ seq: string; kind: string; worker: string }>("select * from parley.v_log order by seq");
  assert.deepEqual([log.length, log[0]?.seq, log[2]?.kind, log[0]?.worker], [10, "1", "userMessage", "w1"]);
  const fork = randomUuid();
  await store.lease(fork, "test");
  await store.append(fork, [meta(fork, { createdAtMs: Date.now() + 9000 }), started("t1")]);
  assert.equal(
    (await createRegistry(engine).holders([fork])).get(fork)?.state,
    "idle",
    "a turn of the thread that was forked runs in the fork",
  );
  await store.delete(fork);
  lease.release();
  await store.close();
  assert.equal((await createRegistry(engine).holders([id])).get(id)?.holder, undefined);

  const git = { sha: "abc", branch: "main", originUrl: null };
  await store.updateGit(id, git);
  await store.rename(id, "my name");
  const found = await store.find(id);
  assert.deepEqual([found?.name, found?.git, found?.createdAtMs, found?.preview.slice(0, 5)], ["my name", git, 1000, "Hello"]);
  const again = (await store.read(id)).filter((record) => record.type === "meta");
  assert.deepEqual(again.at(-1)?.meta.git, git);

  const child = await made(store, "child text", { parentThreadId: id, source: { subAgent: { other: "x" } }, createdAtMs: 2000 });
  const grandchild = await made(store, "needle in it", { parentThreadId: child, cwd: "/else", createdAtMs: 3000 });
  const ids = async (more: Partial<ThreadQuery>): Promise<string[]> =>
    (await store.list({ ...everything, ...more })).threads.map((one) => one.id);
  assert.deepEqual(await ids({}), [grandchild, child, id]);
  assert.deepEqual(await ids({ sortDirection: "asc" }), [id, child, grandchild]);
  assert.deepEqual(await ids({ sourceKinds: ["subAgent"] }), [child]);
  assert.deepEqual(await ids({ parentId: id }), [child]);
  assert.deepEqual(await ids({ ancestorId: id }), [grandchild, child]);
  assert.deepEqual(await ids({ cwds: ["/else"] }), [grandchild]);
  assert.deepEqual(await ids({ searchTerm: "MY NA" }), [id]);
  assert.deepEqual(await ids({ searchTerm: "50%" }), []);
  assert.deepEqual(await ids({ ids: [child, grandchild, id], sortKey: "section_position", sortDirection: "asc" }), [child, grandchild, id]);
  assert.deepEqual(await ids({ excludedIds: [id], modelProviders: ["scripted"] }), [grandchild, child]);
  const first = await store.list({ ...everything, limit: 2 });
  assert.deepEqual(await ids({ cursor: first.nextCursor }), [id]);
  await assert.rejects(store.list({ ...everything, cursor: "x" }), /invalid cursor/);
  const hits = await store.search("THIRD", 10);
  assert.deepEqual(
    hits.hits.map(({ thread, snippet }) => [thread.id, snippet]),
    [[id, "third"]],
  );
  assert.deepEqual((await other.list(everything)).threads, []);
  assert.deepEqual((await other.search("third", 10)).hits, []);

  await store.archive(id);
  assert.deepEqual(await ids({ archived: true }), [id]);
  await other.unarchive(id);
  assert.equal((await store.find(id))?.archived, true);
  await store.unarchive(id);
  await other.delete(id);
  assert.notEqual(await store.find(id), undefined);
  await store.delete(id);
  assert.equal(await store.find(id), undefined);
  assert.deepEqual(await store.read(id), []);
  assert.deepEqual(await engine.query("select seq from parley.log where thread = any($1)", [[id, fork]]), []);
});

test("what a thousand threads append at once is stored by few statements, whose plan does not depend on statistics", {
  skip: noPostgres,
}, async (t) => {
  const { postgres, engine } = await fleet(t);
  const { store } = await join(t, postgres, "w1");
  await engine.query("alter table parley.threads set (autovacuum_enabled = false)");
  const ids = Array.from({ length: 300 }, () => randomUuid());
  await Promise.all(ids.map((id) => store.lease(id, "")));
  await Promise.all(ids.map((id) => store.append(id, [meta(id), started("t1")])));
  const [before] = await engine.query<{ n: string; read: string }>(counts);
  await Promise.all(
    ids.map(async (id) => {
      for (const text of ["one", "two", "three"]) await store.append(id, [said("t1", text)]);
    }),
  );
  // The engine's counts come a moment later.
  for (let now = before; ; [now] = await engine.query<{ n: string; read: string }>(counts)) {
    const changed = Number(now?.n) - Number(before?.n);
    if (changed < 900) continue;
    assert.ok(Number(now?.read) - Number(before?.read) < 10 * changed, "each append looks up its own thread and no other");
    break;
  }
  const kinds = await engine.query("select distinct array_agg(kind order by seq) as kinds, count(*) from parley.log group by thread");
  assert.deepEqual(kinds, [{ kinds: ["meta", "turnStarted", "userMessage", "userMessage", "userMessage"], count: "5" }]);
});
const counts = `select n_tup_upd as n, seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'threads'`;

test("one holder at a time: a race has one winner, and whoever lost a thread writes nothing", { skip: noPostgres }, async (t) => {
  const { postgres, engine } = await fleet(t);
  const [one, two] = await Promise.all([join(t, postgres, "w1"), join(t, postgres, "w2", { labels: ["gpu"], maxThreads: 300 })]);
  for (let i = 0; i < 200; i++) {
    const id = randomUuid();
    const outcomes = await Promise.allSettled([one.store.lease(id, ""), two.store.lease(id, "")]);
    const lost = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    assert.equal(lost.length, 1);
    assert.ok(lost[0] instanceof ThreadHeld);
    for (const outcome of outcomes) if (outcome.status === "fulfilled") outcome.value.release();
  }
  await Promise.all([one.store.close(), two.store.close()]);
  assert.deepEqual(await engine.query("select id from parley.threads"), []);

  const id = randomUuid();
  const lease = await one.store.lease(id, "");
  await one.store.append(id, [meta(id), started("t1")]);
  const before = one.state.leases.find(id);
  await createRegistry(engine).expire(one.state.member.id);
  const taken = await two.store.lease(id, "");
  await assert.rejects(one.store.append(id, [said("t1", "zombie")]), ThreadLost);
  assert.equal(lease.lost?.aborted, true);
  assert.equal(before?.lost.aborted, true);
  await two.store.append(id, [said("t1", "from two")]);
  assert.deepEqual(await engine.query("select worker, max(epoch) as epoch, count(*) from parley.v_log group by worker order by worker"), [
    { worker: "w1", epoch: "1", count: "2" },
    { worker: "w2", epoch: "2", count: "1" },
  ]);
  taken.release();
  await two.store.close();

  const labelled = randomUuid();
  await assert.rejects(one.store.lease(labelled, "", { "fleet.labels": ["gpu"] }), /labels gpu|leaving/);
  (await two.store.lease(labelled, "", { "fleet.labels": ["gpu"] })).release();
  await two.store.close();
  await engine.query("update parley.teams set max_threads = 3, max_turns = 1 where name = 'a'");
  const many = await Promise.allSettled(Array.from({ length: 10 }, () => two.store.lease(randomUuid(), "")));
  const refused = many.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as { data: unknown }] : []));
  assert.equal(refused.length, 7);
  assert.deepEqual(refused[0]?.data, { reason: "fleet_limit" });
  const [a, b] = two.state.leases.all.map((held) => held.id);
  assert.ok(a !== undefined && b !== undefined);
  await engine.query("update parley.threads set state = 'idle'");
  await two.store.append(a, [meta(a), started("t1")]);
  await assert.rejects(two.store.append(b, [meta(b), started("t1")]), (error: { data?: unknown }) => {
    assert.deepEqual(error.data, { reason: "fleet_limit" });
    return true;
  });
  await two.store.append(a, [ended("t1")]);
  await two.store.append(b, [meta(b), started("t1")]);
});

/** An engine whose answer to one statement is on its way for as long as the test wants. */
function withLateAnswer(part: string): { through: (engine: Engine) => Engine; carriedOut: Promise<void>; arrive: () => void } {
  const [carriedOut, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const through = (engine: Engine): Engine => ({
    ...engine,
    async query<Row extends object>(text: string, values?: readonly unknown[]) {
      const rows = await engine.query<Row>(text, values);
      if (!text.includes(part) || rows.length === 0) return rows;
      carriedOut.resolve();
      await arrived.promise;
      return rows;
    },
  });
  return { through, carriedOut: carriedOut.promise, arrive: arrived.resolve };
}

test("a worker that claims a thread for its turn and for a client at once holds it, whichever claim is answered first", {
  skip: noPostgres,
}, async (t) => {
  const { postgres, engine } = await fleet(t);
  const one = await join(t, postgres, "w1");
  const { through, carriedOut, arrive } = withLateAnswer("with unfinished");
  const two = await join(t, postgres, "w2", { through });
  const id = randomUuid();
  await one.store.lease(id, "");
  await one.store.append(id, [meta(id), started("t1")]);
  await engine.query("update parley.threads set holder = null, boot = null, moved = 'drained' where id = $1", [id]);
  const claimed = Promise.withResolvers<Held>();
  const takeOver = new TakeOver(two.state, { claimed: claimed.resolve });
  t.after(() => takeOver.close());
  takeOver.start();
  await carriedOut;
  const lease = await two.store.lease(id, "");
  arrive();
  assert.equal(await claimed.promise, two.state.leases.find(id));
  await two.store.append(id, [said("t1", "from two"), ended("t1")]);
  assert.equal(lease.lost?.aborted, false);
  lease.release();
  await two.store.close();
  assert.equal((await createRegistry(engine).holders([id])).get(id)?.holder, undefined, "it is given up with its last lease");
});

test("a client's claim that was refused before its worker got the thread for its turn sends the client on, instead of opening it for reading", {
  skip: noPostgres,
}, async (t) => {
  const { postgres, engine } = await fleet(t);
  const one = await join(t, postgres, "w1");
  const { through, carriedOut, arrive } = withLateAnswer("parley.claim");
  const two = await join(t, postgres, "w2", { through });
  const id = randomUuid();
  await one.store.lease(id, "");
  await one.store.append(id, [meta(id), started("t1")]);
  const refused = assert.rejects(two.store.lease(id, ""), ThreadHeld);
  await carriedOut;
  await engine.query("update parley.threads set holder = null, boot = null, moved = 'drained' where id = $1", [id]);
  const claimed = Promise.withResolvers<Held>();
  const takeOver = new TakeOver(two.state, { claimed: claimed.resolve });
  t.after(() => takeOver.close());
  takeOver.start();
  await claimed.promise;
  arrive();
  await refused;
  assert.equal(two.store.socketOf(id), "w1", "whoever asks is not told that another worker may have it");
});

test("appends survive a kill of the engine: what was answered is stored, once, and what was not is stored later", {
  skip: noPostgres,
}, async (t) => {
  const { postgres, engine } = await fleet(t);
  const { state, store } = await join(t, postgres, "w1");
  const threads = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const id = randomUuid();
      await store.lease(id, "");
      await store.append(id, [meta(id)]);
      return id;
    }),
  );
  const answered = new Map(threads.map((id) => [id, 0]));
  const stop = new AbortController();
  const writers = threads.map(async (id) => {
    for (let i = 0; !stop.signal.aborted; i++) {
      await store.append(id, [{ type: "rolledBack", numTurns: i + 1 }]);
      answered.set(id, i + 1);
    }
  });
  for (let kills = 0; kills < 2; kills++) {
    await sleep(150);
    await postgres.kill();
    await postgres.up();
    const before = [...answered.values()];
    while ([...answered.values()].some((count, i) => count <= (before[i] ?? 0))) await sleep(10);
  }
  stop.abort();
  await Promise.all(writers);
  const counts = await engine.query<{ thread: string; count: string; last: string }>(
    "select thread, count(*) as count, max(seq) as last from parley.log group by thread",
  );
  for (const { thread, count, last } of counts) {
    assert.equal(Number(count), (answered.get(thread) ?? 0) + 1);
    assert.equal(last, count);
  }
  assert.equal(counts.length, threads.length);
  assert.equal(state.leases.all.length, threads.length);
});

test("questions, queues and goals belong to the holder, and claims whose answer was lost are found", { skip: noPostgres }, async (t) => {
  const { postgres, engine } = await fleet(t);
  const [one, two] = await Promise.all([join(t, postgres, "w1"), join(t, postgres, "w2")]);
  const id = randomUuid();
  const lease = await one.store.lease(id, "");
  await one.store.append(id, [meta(id), started("t1")]);
  const stateOf = async (): Promise<string | undefined> => (await createRegistry(engine).holders([id])).get(id)?.state;

  const questions = createSharedQuestions(one.state, "a");
  assert.equal(await questions.read(id), undefined);
  await questions.write(id, { turn: asking, calls: [{ type: "asked", callId: "c1", digest: "d" }] });
  assert.equal(await stateOf(), "waiting");
  const answer = { kind: "answered", result: { text: "\0" }, by: "me" } as const;
  await questions.add(id, { type: "answered", callId: "c1", digest: "d", answer });
  assert.equal(await stateOf(), "active");
  const read = await createSharedQuestions(two.state, "a").read(id);
  assert.deepEqual(
    read?.calls.map(({ type }) => type),
    ["asked", "answered"],
  );
  assert.equal(await createSharedQuestions(two.state, "b").read(id), undefined);
  await assert.rejects(createSharedQuestions(two.state, "a").add(id, { type: "begun", callId: "c1" }), ThreadLost);

  let next = 0;
  const queues = [one, two].map(({ state }) => createSharedQueue(state, "a", () => `q${next++}`));
  const [queue, foreign] = queues;
  assert.ok(queue !== undefined && foreign !== undefined);
  const message = (text: string) => ({ input: [{ type: "text" as const, text, text_elements: [] }], clientUserMessageId: text });
  await Promise.all(["a", "b", "c"].map((text) => queue.add(id, message(text), 3)));
  assert.equal(await queue.add(id, message("d"), 3), undefined);
  await assert.rejects(foreign.add(id, message("x"), 9), ThreadHeld);
  const ids = (await foreign.list(id)).map((waiting) => waiting.id);
  assert.equal(await queue.reorder(id, ids.toReversed()), true);
  assert.equal(await queue.reorder(id, ids.slice(1)), false);
  assert.equal(await queue.remove(id, ids[0] ?? ""), true);
  assert.deepEqual(
    (await queue.list(id)).map((waiting) => waiting.id),
    ids.slice(1).toReversed(),
  );
  const goals = createSharedGoals(one.state, "a");
  const goal = { goalId: "g", objective: "o", status: "active", tokenBudget: null, tokensUsed: 0, timeUsedSeconds: 0 } as const;
  await goals.change(id, () => ({ ...goal, createdAtMs: 1, updatedAtMs: 1 }));
  await goals.change(id, (known) => known && { ...known, tokensUsed: 5 });
  assert.equal((await goals.read(id))?.tokensUsed, 5);
  await Promise.all([goals.change(id, (known) => known && { ...known, tokensUsed: known.tokensUsed + 1 }), goals.read(id)]);
  assert.equal((await goals.read(id))?.tokensUsed, 6);
  assert.equal(await goals.remove(id), true);
  assert.equal(await goals.read(id), undefined);
  await createSharedAudit(one.state, "a").write({
    ...{ threadId: id, turnId: "t1", itemId: "c1", kind: "command", subject: "ls \0", event: "requested" },
  });
  assert.equal((await engine.query("select team, thread from parley.audit")).length, 1);
  await questions.clear(id);
  assert.equal(await questions.read(id), undefined);

  // a claim that this worker does not know of: an unfinished turn is taken in a new epoch, an idle thread is given up
  const { name, boot } = two.state.member.id;
  const [unfinished, idle] = [randomUuid(), randomUuid()];
  const insert = "insert into parley.threads (id, team, holder, boot, epoch, seq, state) values ($1, 'a', $2, $3, 4, 0, $4)";
  await engine.query(insert, [unfinished, name, boot, "active"]);
  await engine.query(insert, [idle, name, boot, "idle"]);
  const found = Promise.withResolvers<Held>();
  const takeOver = new TakeOver(two.state, { claimed: (held) => found.resolve(held) });
  t.after(() => takeOver.close());
  takeOver.start();
  const held = await found.promise;
  assert.deepEqual([held.id, held.epoch], [unfinished, 5]);
  while ((await createRegistry(engine).holders([idle])).get(idle)?.holder !== undefined) await sleep(20);
  lease.release();
});

/** After an outage everybody beats before anybody is declared lost. */
test("an engine that was away for longer than a lease costs nobody a thread, and a dead worker is found", {
  skip: noPostgres,
}, async (t) => {
  const { postgres, engine } = await fleet(t);
  const workers = await Promise.all(["w1", "w2", "w3"].map((name) => join(t, postgres, name)));
  const takeOvers = workers.map(({ state }) => new TakeOver(state, { claimed: () => {} }));
  for (const takeOver of takeOvers) takeOver.start();
  t.after(() => {
    for (const takeOver of takeOvers) takeOver.close();
  });
  const ids = await Promise.all(
    workers.map(async ({ store }) => {
      const id = randomUuid();
      await store.lease(id, "");
      await store.append(id, [meta(id), started("t1")]);
      return id;
    }),
  );
  await postgres.kill();
  await sleep(leaseMs + 500);
  assert.deepEqual(
    workers.map(({ state }) => state.member.isCertain),
    [false, false, false],
  );
  await postgres.up();
  await Promise.all(workers.map(({ store }, i) => store.append(ids[i] ?? "", [said("t1", "after")])));
  await sleep(leaseMs + 500);
  const rows = await engine.query<{ holder: string }>("select holder from parley.threads where epoch = 1 order by holder");
  assert.deepEqual(
    rows.map(({ holder }) => holder),
    ["w1", "w2", "w3"],
  );
  // w3 stops to beat, as if it were dead
  const [, , dead] = workers;
  takeOvers[2]?.close();
  await dead?.state.engine.close();
  const at = performance.now();
  while ((await engine.query("select 1 from parley.threads where holder = 'w3'")).length > 0) await sleep(20);
  // Its thread is free first, and another worker's a moment later.
  const [left] = await engine.query<{ moved: string }>("select moved from parley.threads where id = $1", [ids[2]]);
  assert.equal(left?.moved, "lost");
  assert.ok(performance.now() - at < leaseMs + 2000);
});
