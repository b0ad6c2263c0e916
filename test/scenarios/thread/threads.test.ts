/** The life of a thread: fork, roll back, archive, delete, unload and resume. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import type { Turn } from "../../../src/protocol/turn.ts";
import { verifies } from "../../support/verifies.ts";

const texts = (turns: readonly Turn[]): (string | undefined)[] =>
  turns.map((turn) => turn.items.flatMap((item) => (item.type === "agentMessage" ? [item.text] : [])).at(-1));

async function threeTurns(client: Client, workspace: string) {
  const thread = await client.startThread({ cwd: workspace });
  const runs = [await thread.run("a"), await thread.run("b"), await thread.run("c")];
  return { thread, ids: runs.map((run) => run.turnId) };
}
const turns = [[{ say: "one" }], [{ say: "two" }], [{ say: "three" }], [{ say: "four" }]];

verifies("thread.forkPoint", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { thread, ids } = await threeTurns(client, workspace);
  const upTo = await client.call("thread/fork", { threadId: thread.id, lastTurnId: ids[1] ?? "" });
  const before = await client.call("thread/fork", { threadId: thread.id, beforeTurnId: ids[1] ?? "" });
  assert.deepEqual([texts(upTo.thread.turns), texts(before.thread.turns)], [["one", "two"], ["one"]]);
  assert.equal(upTo.thread.forkedFromId, thread.id);
  const { thread: stored } = await client.call("thread/read", { threadId: upTo.thread.id, includeTurns: true });
  assert.deepEqual(
    stored.turns.map((turn) => turn.id),
    ids.slice(0, 2),
    "turns keep their ids",
  );
});

verifies("thread.emptyHistory", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { id } = await client.startThread({ cwd: workspace });
  await assert.rejects(client.call("thread/resume", { threadId: id, history: [] }), { message: "history must not be empty" });
});

verifies("thread.rawEvents", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ reason: "hm" }, { run: "true" }, { say: "one" }], [{ say: "two" }]] });
  const received: string[] = [];
  client.on("turn/started", () => received.push("turn/started"));
  client.on("rawResponseItem/completed", (p) => received.push(p.item.type));
  const quiet = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  await quiet.run("a");
  assert.deepEqual(received, ["turn/started"], "only where they are asked for");
  received.length = 0;
  const raw = await client.startThread({
    cwd: workspace,
    experimentalRawEvents: true,
    approvalPolicy: "never",
    sandbox: "danger-full-access",
  });
  await raw.run("a");
  assert.equal(received[0], "turn/started");
  const model = received.slice(received.lastIndexOf("reasoning"));
  assert.deepEqual(model, ["reasoning", "function_call", "function_call_output", "message"]);
  assert.ok(
    received.slice(1, received.lastIndexOf("reasoning")).every((type) => type === "message"),
    "context and the user's message",
  );
});

verifies("thread.rollback", async ({ app, workspace, restart }) => {
  const client = await app({ turns });
  const { thread, ids } = await threeTurns(client, workspace);
  const answer = await client.call("thread/rollback", { threadId: thread.id, numTurns: 2 });
  assert.deepEqual(texts(answer.thread.turns), ["one"]);
  await restart();
  const again = await app();
  const { thread: read } = await again.call("thread/read", { threadId: thread.id, includeTurns: true });
  assert.deepEqual(
    read.turns.map((turn) => turn.id),
    ids.slice(0, 1),
  );
});

verifies("thread.items", async ({ app, workspace }) => {
  const client = await app({ turns, capabilities: { experimentalApi: true } });
  const { thread, ids } = await threeTurns(client, workspace);
  const page = async (params: object) => {
    const { data, nextCursor } = await client.call("thread/items/list", { threadId: thread.id, ...params });
    return { shown: data.map(({ item, turnId }) => [ids.indexOf(turnId), item.type]), nextCursor };
  };
  const all = ids.flatMap((_, n) => [
    [n, "userMessage"],
    [n, "agentMessage"],
  ]);
  assert.deepEqual(await page({}), { shown: all, nextCursor: null });
  assert.deepEqual((await page({ turnId: ids[1] })).shown, all.slice(2, 4));
  assert.deepEqual((await page({ sortDirection: "desc", limit: 1 })).shown, all.slice(-1));
  const first = await page({ limit: 4 });
  assert.deepEqual([first.shown, (await page({ cursor: first.nextCursor })).shown], [all.slice(0, 4), all.slice(4)]);
});

verifies("thread.rollbackTwice", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { thread } = await threeTurns(client, workspace);
  const roll = () => client.call("thread/rollback", { threadId: thread.id, numTurns: 1 });
  const outcomes = await Promise.allSettled([roll(), roll(), roll()]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? texts(outcome.value.thread.turns) : outcome.reason.message)),
    [["one", "two"], ...Array(2).fill("rollback already in progress for this thread")],
  );
  assert.deepEqual(texts((await roll()).thread.turns), ["one"], "the next one is carried out");
});

verifies("thread.readAgain", async ({ app, workspace, restart }) => {
  /** Each turn runs until the test has written its file. */
  const held = ["a", "b"].map((text) => [{ run: `while [ ! -f go-${text} ]; do sleep 0.05; done; rm go-${text}` }, { say: text }]);
  const client = await app({ turns: held });
  /** Read twice, since what was read once may be kept, and opened once more. */
  const read = async (from: Client, threadId: string): Promise<Turn[]> => {
    const first = (await from.call("thread/read", { threadId, includeTurns: true })).thread.turns;
    assert.deepEqual((await from.call("thread/read", { threadId, includeTurns: true })).thread.turns, first);
    assert.deepEqual((await from.call("thread/read", { threadId })).thread.turns, []);
    return first;
  };
  for (const ephemeral of [true, false]) {
    const thread = await client.startThread({ cwd: workspace, ephemeral, approvalPolicy: "never", sandbox: "danger-full-access" });
    const told: Turn[] = [];
    client.on("turn/completed", ({ threadId, turn }) => void (threadId === thread.id && told.push(turn)));
    for (const text of ["a", "b"]) {
      const began = Promise.withResolvers<void>();
      client.on("item/started", ({ threadId, item }) => {
        if (threadId === thread.id && item.type === "commandExecution") began.resolve();
      });
      const running = thread.run(text);
      await began.promise;
      const before = await read(client, thread.id);
      assert.deepEqual(
        before.map(({ status }) => status),
        [...told.map(() => "completed"), "inProgress"],
      );
      writeFileSync(path.join(workspace, `go-${text}`), "");
      await running;
      const seen = await read(client, thread.id);
      assert.deepEqual(
        seen.map(({ id, status }) => [id, status]),
        told.map(({ id }) => [id, "completed"]),
      );
      assert.deepEqual((await client.call("thread/resume", { threadId: thread.id })).thread.turns, seen);
    }
    await client.call("thread/rollback", { threadId: thread.id, numTurns: 1 });
    assert.deepEqual(
      (await read(client, thread.id)).map(({ id }) => id),
      told.slice(0, 1).map(({ id }) => id),
    );
    if (ephemeral) continue;
    const seen = await read(client, thread.id);
    await restart();
    const again = await app();
    assert.deepEqual(await read(again, thread.id), seen);
    const { path: file } = (await again.call("thread/read", { threadId: thread.id })).thread;
    const line = { timestamp: new Date().toISOString(), type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } };
    appendFileSync(file ?? "", `${JSON.stringify(line)}\n`);
    assert.deepEqual(await read(again, thread.id), [], "another program's line");
    assert.deepEqual((await again.call("thread/resume", { threadId: thread.id })).thread.turns, []);
  }
});

verifies("thread.archive", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { thread } = await threeTurns(client, workspace);
  const file = (await client.call("thread/read", { threadId: thread.id })).thread.path ?? "";
  const listed = async (archived: boolean): Promise<number> => (await client.call("thread/list", { archived })).data.length;
  await client.call("thread/archive", { threadId: thread.id });
  assert.deepEqual([await listed(false), await listed(true), existsSync(file)], [0, 1, false]);
  await client.call("thread/unarchive", { threadId: thread.id });
  assert.deepEqual([await listed(false), existsSync(file)], [1, true]);
  await client.call("thread/delete", { threadId: thread.id });
  assert.deepEqual([await listed(false), existsSync(file)], [0, false]);
});

verifies("thread.rest", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  await thread.run("a");
  assert.deepEqual(await client.call("thread/unsubscribe", { threadId: thread.id }), { status: "unsubscribed" });
  await client.call("thread/resume", { threadId: thread.id });
  assert.equal((await thread.run("b")).text, "two", "a thread that was let go takes the next turn with its whole history");
});

verifies("thread.settings", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  const updated = Promise.withResolvers<unknown>();
  client.on("thread/settings/updated", (p) => updated.resolve(p.threadSettings.model));
  await client.call("thread/settings/update", { threadId: thread.id, model: "other", effort: "high" });
  assert.equal(await updated.promise, "other");
});

verifies("thread.shellCommand", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ expect: { user: "what" } }, { say: "seen" }]] });
  const thread = await client.startThread({ cwd: workspace, sandbox: "read-only" });
  const ended = Promise.withResolvers<void>();
  const stop = client.on("turn/completed", () => ended.resolve());
  const items: unknown[] = [];
  client.on("item/completed", (p) => {
    if (p.item.type === "commandExecution") items.push([p.item.source, p.item.exitCode, p.item.aggregatedOutput]);
  });
  await client.call("thread/shellCommand", { threadId: thread.id, command: "echo mine" });
  await ended.promise;
  stop();
  assert.deepEqual(items, [["userShell", 0, "mine\n"]]);
  assert.equal((await thread.run("what")).text, "seen");
});

verifies("thread.injectItems", async ({ app, workspace }) => {
  const client = await app({ turns });
  const thread = await client.startThread({ cwd: workspace });
  const known = { type: "message", role: "user", content: [{ type: "input_text", text: "known" }] };
  await client.call("thread/inject_items", { threadId: thread.id, items: [known] });
  await assert.rejects(client.call("thread/inject_items", { threadId: thread.id, items: [{ nonsense: true }] }), /items\[0\]/);
});

verifies("command.background", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ call: "exec_command", with: { cmd: "echo up; sleep 60", yield_time_ms: 250 } }, { say: "{{output}}" }]],
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const run = await thread.run("serve");
  assert.match(run.text, /running with session ID \d+/);
  const { data } = await client.call("thread/backgroundTerminals/list", { threadId: thread.id });
  assert.deepEqual(
    data.map(({ command }) => command),
    ["echo up; sleep 60"],
  );
  const bad = { threadId: thread.id, cursor: "garbage" };
  await assert.rejects(client.call("thread/backgroundTerminals/list", bad), /invalid cursor: garbage/);
  const terminate = (processId: string) => client.call("thread/backgroundTerminals/terminate", { threadId: thread.id, processId });
  await assert.rejects(terminate("garbage"), /invalid background terminal process id: garbage/);
  assert.deepEqual(await terminate("1"), { terminated: false });
  const completed = Promise.withResolvers<void>();
  client.on("item/completed", (p) => {
    if (p.item.type === "commandExecution") completed.resolve();
  });
  await client.call("thread/backgroundTerminals/clean", { threadId: thread.id });
  await completed.promise;
  assert.deepEqual((await client.call("thread/backgroundTerminals/list", { threadId: thread.id })).data, []);
});

verifies("thread.usage", async ({ app, workspace, restart }) => {
  const { thread, ids } = await threeTurns(await app({ turns }), workspace);
  await restart();
  const client = await app();
  const notified: unknown[] = [];
  client.on("thread/tokenUsage/updated", ({ threadId, turnId, tokenUsage: { total, last } }) =>
    notified.push([threadId, turnId, total.totalTokens > last.totalTokens]),
  );
  await client.call("thread/resume", { threadId: thread.id });
  await client.call("thread/loaded/list", {}); // answered after the resume's notifications
  assert.deepEqual(notified, [[thread.id, ids[2], true]]);
});

verifies("thread.metadata", async ({ app, workspace }) => {
  const client = await app({ turns });
  const { thread } = await threeTurns(client, workspace);
  const git = async (gitInfo: { sha?: string | null; branch?: string | null }) =>
    (await client.call("thread/metadata/update", { threadId: thread.id, gitInfo })).thread.gitInfo;
  await git({ sha: "abc", branch: "main" });
  assert.deepEqual(await git({ branch: "next" }), { sha: "abc", branch: "next", originUrl: null });
  assert.deepEqual(await git({ sha: null }), { sha: null, branch: "next", originUrl: null });
  await assert.rejects(client.call("thread/metadata/update", { threadId: thread.id }), /at least one field/);
});
