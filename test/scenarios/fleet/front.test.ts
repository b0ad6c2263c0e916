/** A front's promises about routes and moves, with workers that say exactly what the test wants. The whole fleet: test/fleet. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeFleet, settled } from "../../support/fake-fleet.ts";
import type { Message } from "../../support/wire.ts";

const item = (id: string, more: object = {}) => ({ type: "agentMessage", id, text: id, ...more });
const turn = (id: string, status: string, items: readonly object[] = []) => ({ id, status, items, error: null });
const question = (itemId: string, more: object = {}) => ({
  threadId: "x",
  turnId: "t1",
  itemId,
  startedAtMs: 1,
  command: "touch a",
  ...more,
});
const asks = "item/commandExecution/requestApproval";

test("each request goes to the worker that holds its thread, and new threads to the least busy one that fits", async (t) => {
  const fleet = new FakeFleet(t, ["w1", "w2"]);
  fleet.join("gpu", { labels: ["gpu"], maxThreads: 1 });
  fleet.join("leaving", { state: "draining" });
  fleet.join("theirs", { teams: ["b"] });
  const client = await fleet.client();
  const started = await Promise.all(Array.from({ length: 10 }, () => client.call("thread/start", { config: {} })));
  const at = (name: string): number => [...fleet.threads.values()].filter(({ holder }) => holder?.name === name).length;
  assert.deepEqual(["w1", "w2", "gpu", "leaving", "theirs"].map(at).toSorted(), [0, 0, 1, 4, 5], "all at once are counted too");
  for (const { thread } of started) {
    await client.call("turn/start", { threadId: thread.id, input: [] });
    const { holder } = fleet.threads.get(thread.id) ?? {};
    const [link] = fleet.worker(holder?.name ?? "").links;
    assert.equal(link?.requests.at(-1)?.params.threadId, thread.id);
    assert.deepEqual(link?.user, { team: "a", user: "ann", rights: "everything" });
  }
  const full = await client.ask("thread/start", { config: { "fleet.labels": ["gpu"] } });
  assert.equal(full.error.data.reason, "fleet_limit");
  const none = await client.ask("thread/start", { config: { "fleet.labels": ["gpu", "tpu"] } });
  assert.match(none.error.message, /label "tpu"/);
  assert.match((await client.ask("thread/start", { config: { "fleet.labels": "gpu" } })).error.message, /fleet\.labels/);
  // A client that never opened a thread drives it all the same: in its holder, or where it is placed.
  const other = await fleet.client();
  const [first] = started;
  await other.call("turn/start", { threadId: first?.thread.id, input: [] });
  fleet.hold("stored", undefined, { labels: [] });
  await other.call("turn/start", { threadId: "stored", input: [] });
  assert.notEqual(fleet.threads.get("stored")?.holder, undefined);
  // A read of what nobody holds claims nothing.
  fleet.hold("idle", undefined);
  await other.call("thread/read", { threadId: "idle" });
  assert.equal(fleet.threads.get("idle")?.holder, undefined);
  assert.deepEqual((await other.call("thread/loaded/list")).data, [...fleet.threads.keys()].filter((id) => id !== "idle").toSorted());
});

test("a team's threads do not exist for another team, and rights decide what a token may do", async (t) => {
  const fleet = new FakeFleet(t, ["w1"]);
  fleet.worker("w1").answers["thread/read"] = ({ threadId }, { user }) => {
    if (fleet.threads.get(threadId)?.team !== user.team) throw { code: -32_600, message: `thread not loaded: ${threadId}` };
    return { thread: { id: threadId } };
  };
  fleet.hold("secret", "w1", { team: "b" });
  const client = await fleet.client();
  const answers = await Promise.all(["secret", "absent"].map(async (threadId) => (await client.ask("thread/read", { threadId })).error));
  assert.equal(JSON.stringify(answers[0]).replace("secret", "absent"), JSON.stringify(answers[1]));
  const admin = await fleet.client({ admin: true, team: null, user: null });
  assert.equal((await admin.call("thread/read", { threadId: "secret" })).thread.id, "secret");
  assert.equal((await admin.ask("turn/start", { threadId: "secret", input: [] })).error.data.reason, "fleet_rights");
  const looking = await fleet.client({ rights: "look" });
  fleet.hold("x", "w1");
  await looking.call("thread/resume", { threadId: "x" });
  for (const [method, params] of [
    ["turn/start", { threadId: "x", input: [] }],
    ["thread/resume", { threadId: "x", model: "other" }],
    ["fs/readFile", { path: "/etc/passwd" }],
  ] as const)
    assert.equal((await looking.ask(method, params)).error.data.reason, "fleet_rights", method);
  const answering = await fleet.client({ rights: "answer" });
  await answering.call("thread/resume", { threadId: "x" });
  for (const link of fleet.worker("w1").links)
    if (link.requests.some((one) => one.method === "thread/resume")) link.send({ id: 7, method: asks, params: question("i1") });
  for (const one of [looking, answering]) {
    const asked = await one.notified(asks);
    one.send({ id: asked.id, result: { decision: "accept" } });
  }
  await looking.notified("warning");
  await settled();
  assert.equal([...fleet.worker("w1").links].flatMap(({ answers: given }) => given).length, 1, "who may only look does not answer");
  assert.match((await client.ask("no/such")).error.message, /unknown variant/);
});

test("after a worker's end its clients are told what they missed, then that it moved, then how it goes on", async (t) => {
  const fleet = new FakeFleet(t, ["w1"]);
  const client = await fleet.client();
  fleet.hold("x", "w1");
  await client.call("thread/resume", { threadId: "x" });
  const w1 = fleet.worker("w1");
  w1.notify("turn/started", { threadId: "x", turn: turn("t1", "inProgress") });
  w1.notify("item/started", { threadId: "x", turnId: "t1", item: item("i1") });
  w1.notify("item/completed", { threadId: "x", turnId: "t1", item: item("i1") });
  w1.notify("item/started", { threadId: "x", turnId: "t1", item: item("i2") });
  await client.waitFor((m) => m.method === "item/started" && m.params.item.id === "i2", "the second item");
  const w2 = fleet.join("w2");
  // The new worker speaks before it answers: that waits, and what is no news is left out.
  w2.answers["thread/resume"] = ({ threadId }, link) => {
    fleet.hold(threadId, "w2");
    link.notify("item/completed", { threadId, turnId: "t1", item: item("i2") });
    link.notify("turn/completed", { threadId, turn: turn("t1", "interrupted") });
    link.notify("turn/started", { threadId, turn: turn("t2", "inProgress") });
    return { thread: { id: threadId, turns: [turn("t1", "interrupted", [item("i1"), item("i2"), item("i3")])] } };
  };
  const before = client.messages.length;
  // Requests under way: reads are asked again, others may have been stored.
  w1.isStopped = true;
  const [read, start, opened] = [
    client.ask("thread/read", { threadId: "x" }),
    client.ask("turn/start", { threadId: "x", input: [] }),
    client.ask("thread/start"),
  ];
  await settled();
  fleet.kill("w1");
  const moved = await client.notified("fleet/threadMoved");
  assert.deepEqual(moved.params, { threadId: "x", worker: "w2", epoch: 2, reason: "lost" });
  assert.deepEqual(fleet.expired, ["w1"], "its lease is not waited for");
  assert.equal((await start).error.data.reason, "fleet_moved");
  assert.equal((await read).error, undefined);
  assert.equal((await opened).error, undefined);
  await client.waitFor((m) => m.method === "turn/started" && m.params.turn.id === "t2", "the next turn");
  const told = client.messages.slice(before).filter(({ method }) => method !== undefined);
  const shown = told.map(({ method, params }: Message) => `${method} ${params.item?.id ?? params.turn?.id ?? params.worker ?? ""}`);
  assert.deepEqual(shown, [
    "item/completed i2",
    "item/started i3",
    "item/completed i3",
    "turn/completed t1",
    "fleet/threadMoved w2",
    "turn/started t2",
  ]);
  assert.equal((await client.ask("turn/start", { threadId: "x", input: [] })).error, undefined);
});

test("a hung worker's threads are followed where the fleet has put them, and what it says later is not heard", async (t) => {
  const fleet = new FakeFleet(t, ["w1"]);
  const client = await fleet.client();
  fleet.hold("x", "w1");
  await client.call("thread/resume", { threadId: "x" });
  fleet.worker("w1").isStopped = true;
  fleet.join("w2");
  const [zombie] = fleet.worker("w1").links;
  fleet.lose("w1");
  assert.equal((await client.notified("fleet/threadMoved")).params.reason, "lost");
  zombie?.notify("turn/started", { threadId: "x", turn: turn("late", "inProgress") });
  await settled();
  assert.equal(client.methods().includes("turn/started"), false);
  // Draining: the thread is given up, the worker is still there.
  fleet.join("w3");
  fleet.worker("w2").info = { ...fleet.worker("w2").info, state: "draining" };
  fleet.hold("x", undefined, { moved: "drained" });
  const drained = await client.waitFor((m) => m.method === "fleet/threadMoved" && m.params.worker === "w3", "the second move");
  assert.deepEqual(drained.params, { threadId: "x", worker: "w3", epoch: 3, reason: "drained" });
  fleet.worker("w2").notify("turn/started", { threadId: "x", turn: turn("old", "inProgress") });
  await settled();
  assert.equal(client.methods().includes("turn/started"), false);
});

test("a question keeps its id over moves, and an answer that was on its way counts once", async (t) => {
  const fleet = new FakeFleet(t, ["w1"]);
  const [client, second] = [await fleet.client(), await fleet.client()];
  fleet.hold("x", "w1");
  const running = { thread: { id: "x", turns: [turn("t1", "inProgress", [])] } };
  const asking = (name: string, id: number): void => {
    fleet.worker(name).answers["thread/resume"] = (_params, link) => {
      fleet.hold("x", name);
      queueMicrotask(() => link.send({ id, method: asks, params: question("i1", { startedAtMs: id }) }));
      return running;
    };
  };
  asking("w1", 4);
  for (const one of [client, second]) await one.call("thread/resume", { threadId: "x" });
  const ids = await Promise.all([client, second].map(async (one) => (await one.notified(asks)).id));
  fleet.join("w2");
  asking("w2", 9);
  // The first worker dies with the answer.
  fleet.worker("w1").isStopped = true;
  client.send({ id: ids[0], result: { decision: "accept" } });
  await settled();
  fleet.kill("w1");
  for (const one of [client, second]) await one.notified("fleet/threadMoved");
  await settled();
  const given = [...fleet.worker("w2").links].flatMap(({ answers }) => answers);
  assert.deepEqual(given, [{ id: 9, result: { decision: "accept" } }]);
  assert.equal(second.methods().filter((method) => method === asks).length, 1, "it is not put twice");
  // Another one of the same item is not answered with that.
  fleet.worker("w2").notify("serverRequest/resolved", { threadId: "x", requestId: 9 });
  await second.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === ids[1], "its end");
  fleet.worker("w2").notify("turn/completed", { threadId: "x", turn: turn("t1", "completed") });
  fleet.join("w3");
  fleet.worker("w3").answers["thread/resume"] = (_params, link) => {
    fleet.hold("x", "w3");
    queueMicrotask(() => link.send({ id: 1, method: asks, params: question("i1", { command: "rm -rf b" }) }));
    return running;
  };
  for (const link of fleet.worker("w2").links) link.send({ id: 10, method: asks, params: question("i1") });
  const again = await second.waitFor((m) => m.method === asks && m.id !== ids[1], "the same question later");
  second.send({ id: again.id, result: { decision: "accept" } });
  fleet.kill("w2");
  const other = await second.waitFor((m) => m.method === asks && m.params.command === "rm -rf b", "another question");
  assert.notEqual(other.id, again.id);
  await settled();
  assert.deepEqual(
    [...fleet.worker("w3").links].flatMap(({ answers }) => answers),
    [],
  );
  // A question that nobody puts again ends with its turn.
  await second.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === again.id, "the end of the old one");
});

test("files and commands are a thread's worker's, and lists bring the notifications of all workers", async (t) => {
  const fleet = new FakeFleet(t, ["w1"]);
  const client = await fleet.client();
  await client.call("model/list");
  fleet.join("w2");
  const start = fleet.worker("w2").answers["thread/start"];
  fleet.worker("w2").answers["thread/start"] = (params, link, message) => ({ ...Object(start?.(params, link, message)), cwd: "/trees/x" });
  fleet.hold("busy", "w1");
  await client.call("thread/start");
  const last = (name: string): string | undefined => fleet.worker(name).requests.at(-1);
  await client.call("git/diff", { cwd: "/trees/x/src", scope: "all" });
  assert.equal(last("w2"), "git/diff");
  await client.call("fs/readFile", { path: "/trees/xyz" });
  assert.equal(last("w1"), "fs/readFile");
  await client.call("command/exec", { command: ["cat"], cwd: "/trees/x", processId: "p1", streamStdin: true });
  await client.call("command/exec/write", { processId: "p1", deltaBase64: "" });
  assert.equal(last("w2"), "command/exec/write");
  // From the list on it hears of threads that it has not opened, on workers that it has not used.
  const w3 = fleet.join("w3");
  await client.call("thread/list");
  for (const until = performance.now() + 10_000; w3.links.size === 0 && performance.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  w3.notify("thread/started", { thread: { id: "new" } });
  w3.notify("skills/changed", {});
  await client.notified("thread/started");
  await settled();
  assert.equal(client.methods().includes("skills/changed"), false, "what concerns no thread comes from one worker");
});

test("a conversation of the older API moves with its listeners, and its turn ends", async (t) => {
  const fleet = new FakeFleet(t, ["w1"]);
  const older = (name: string, subscriptionId: string): void => {
    const { answers } = fleet.worker(name);
    answers["newConversation"] = answers["resumeConversation"] = () => {
      fleet.hold("c", name);
      return { conversationId: "c" };
    };
    answers["addConversationListener"] = () => ({ subscriptionId });
    answers["thread/read"] = () => ({ thread: { turns: [turn("t1", "interrupted")] } });
  };
  older("w1", "s1");
  const client = await fleet.client();
  await client.call("newConversation");
  await client.call("addConversationListener", { conversationId: "c", experimentalRawEvents: true });
  fleet.worker("w1").notify("codex/event/task_started", { id: "t1", conversationId: "c", msg: { type: "task_started" } });
  await client.notified("codex/event/task_started");
  fleet.join("w2");
  older("w2", "s2");
  fleet.kill("w1");
  await client.notified("fleet/threadMoved");
  assert.deepEqual(client.methods().slice(-2), ["codex/event/turn_aborted", "fleet/threadMoved"]);
  await client.call("removeConversationListener", { subscriptionId: "s1" });
  const [link] = fleet.worker("w2").links;
  const asked = link?.requests.map(({ method, params }) => [method, params.subscriptionId ?? params.experimentalRawEvents]);
  assert.deepEqual(
    asked?.filter(([method]) => /Listener/.test(method)),
    [
      ["addConversationListener", true],
      ["removeConversationListener", "s2"],
    ],
  );
  assert.equal(
    asked?.some(([method]) => method === "thread/resume"),
    false,
  );
});
