/** `thread/queue/*`: one queue of messages for each thread, for every client. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { leg } from "../../support/server.ts";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const text = (words: string) => [{ type: "text", text: words, text_elements: [] }];
const untilReleased = { run: "until [ -e released ]; do sleep 0.05; done" };

interface Opened {
  readonly wire: Wire;
  readonly threadId: string;
  /** The turn that runs until `release`. */
  readonly turnId: string;
}

async function connect(stage: Stage, options: object = {}): Promise<Wire> {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  return wire;
}

/** A thread whose first turn runs until it is released. */
async function busy(stage: Stage, ...turns: readonly unknown[][]): Promise<Opened> {
  const wire = await connect(stage, { turns: [[untilReleased, { say: "first" }], ...turns] });
  const settings = { approvalPolicy: "never", sandbox: "danger-full-access" };
  const threadId = (await wire.ask("thread/start", { cwd: stage.workspace, ...settings })).result.thread.id;
  const turnId = (await wire.ask("turn/start", { threadId, input: text("begin") })).result.turn.id;
  await wire.until((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
  return { wire, threadId, turnId };
}
const release = (stage: Stage): void => writeFileSync(path.join(stage.workspace, "released"), "");

async function add({ wire, threadId }: Pick<Opened, "wire" | "threadId">, words: string): Promise<string> {
  const added = await wire.ask("thread/queue/add", { threadId, clientUserMessageId: `id of ${words}`, input: text(words) });
  assert.deepEqual(added.result.queuedSubmission.input, text(words));
  return added.result.queuedSubmission.id;
}
const listed = async ({ wire, threadId }: Pick<Opened, "wire" | "threadId">): Promise<Message[]> =>
  (await wire.ask("thread/queue/list", { threadId })).result.data;
const textsOf = (waiting: readonly Message[]): string[] => waiting.map(({ input }) => input[0].text);
const ends = (wire: Wire, count: number): Promise<Message> =>
  wire.until(() => wire.received.filter((m) => m.method === "turn/completed").length >= count, `the end of ${count} turns`);
const messagesOf = (wire: Wire): string[][] =>
  wire.received.flatMap(({ method, params }) =>
    method === "item/completed" && params.item.type === "userMessage" ? [[params.item.content[0].text, params.item.clientId]] : [],
  );

verifies("queue.order", async (stage) => {
  const open = await busy(stage, [{ say: "two" }], [{ say: "three" }]);
  const { wire, threadId } = open;
  const beside = leg === "stdio" ? undefined : await connect(stage);
  await beside?.ask("thread/resume", { threadId });
  const ids: string[] = [];
  for (const words of ["one", "two", "three"]) ids.push(await add(open, words));
  await beside?.notification("thread/queue/changed");
  const page = (await wire.ask("thread/queue/list", { threadId, limit: 2 })).result;
  assert.deepEqual([textsOf(page.data), page.nextCursor], [["one", "two"], "2"]);
  const rest = (await wire.ask("thread/queue/list", { threadId, cursor: page.nextCursor })).result;
  assert.deepEqual([textsOf(rest.data), rest.nextCursor], [["three"], null]);

  const refused = async (method: string, params: object): Promise<string> =>
    (await wire.ask(`thread/queue/${method}`, { threadId, ...params })).error.message;
  assert.equal(await refused("start", {}), "thread already has an active or pending turn");
  assert.equal(
    await refused("reorder", { queuedSubmissionIds: ids.slice(1) }),
    "queue reorder must include every queued submission exactly once",
  );
  assert.equal(await refused("update", { queuedSubmissionId: "none", input: text("x") }), "queued submission not found: none");
  assert.equal(await refused("add", { clientUserMessageId: "x", input: [] }), "only user input can be added to the user-message queue");
  assert.match(await refused("list", { cursor: "x" }), /^invalid queue pagination cursor/);
  assert.match(
    await refused("add", { clientUserMessageId: "x", input: [{ type: "localImage", path: path.join(stage.workspace, "none.png") }] }),
    /^local queued attachment is invalid/,
  );

  const reordered = [ids[2], ids[1], ids[0]];
  assert.deepEqual((await wire.ask("thread/queue/reorder", { threadId, queuedSubmissionIds: reordered })).result, {});
  const update = { threadId, queuedSubmissionId: ids[1], input: text("changed") };
  assert.equal((await wire.ask("thread/queue/update", update)).result.queuedSubmission.clientUserMessageId, "id of two");
  const remove = { threadId, queuedSubmissionId: ids[0] };
  assert.deepEqual((await wire.ask("thread/queue/delete", remove)).result, { deleted: true });
  assert.deepEqual((await wire.ask("thread/queue/delete", remove)).result, { deleted: false });
  assert.deepEqual(textsOf(await listed(open)), ["three", "changed"]);

  release(stage);
  await ends(wire, 3);
  assert.deepEqual(messagesOf(wire), [
    ["begin", null],
    ["three", "id of three"],
    ["changed", "id of two"],
  ]);
  assert.deepEqual(await listed(open), []);
  assert.equal(await refused("start", {}), "queue is empty");
});

verifies("queue.interrupt", async (stage) => {
  const open = await busy(stage, [{ say: "two" }], [{ fail: "no" }], [{ say: "three" }], [{ say: "last" }]);
  const ids: string[] = [];
  for (const words of ["one", "two"]) ids.push(await add(open, words));
  await open.wire.ask("turn/interrupt", { threadId: open.threadId, turnId: open.turnId });
  await ends(open.wire, 1);
  await add(open, "three");
  assert.deepEqual(textsOf(await listed(open)), ["one", "two", "three"]);
  await stage.restart();
  const wire = await connect(stage);
  const again = { wire, threadId: open.threadId };
  assert.equal(
    (await wire.ask("thread/queue/start", { threadId: open.threadId })).error.message,
    "resume the thread before starting a queued message",
  );
  await wire.ask("thread/resume", { threadId: open.threadId });
  // The check for what has been waiting announces it, and starts nothing after an interrupt.
  await wire.notification("thread/queue/changed");
  assert.deepEqual(textsOf(await listed(again)), ["one", "two", "three"]);
  const { turn } = (await wire.ask("thread/queue/start", { threadId: open.threadId, queuedSubmissionId: ids[1] })).result;
  await ends(wire, 3);
  assert.deepEqual(
    messagesOf(wire).map(([words]) => words),
    ["two", "one", "three"],
    "a failed turn does not hold the rest back",
  );
  const ended = wire.received.filter((m) => m.method === "turn/completed").map((m) => m.params.turn);
  assert.deepEqual([ended[0].id, ...ended.map(({ status }) => status)], [turn.id, "completed", "failed", "completed"]);
});

verifies("queue.kept", async (stage) => {
  const first = await connect(stage, { turns: [[{ say: "one" }], [{ say: "two" }]] });
  const { thread } = (await first.ask("thread/start", { cwd: stage.workspace })).result;
  await first.ask("turn/start", { threadId: thread.id, input: text("begin") });
  await ends(first, 1);
  await stage.restart();
  const wire = await connect(stage);
  const open = { wire, threadId: thread.id };
  await add(open, "for later");
  assert.deepEqual(textsOf(await listed(open)), ["for later"], "a thread that nobody has opened starts nothing");
  await wire.ask("thread/resume", { threadId: thread.id });
  await ends(wire, 1);
  assert.deepEqual(messagesOf(wire), [["for later", "id of for later"]]);
  assert.deepEqual(await listed(open), []);
});

verifies("queue.limits", async (stage) => {
  const open = await busy(stage);
  const { wire, threadId } = open;
  for (let i = 0; i < 100; i++) await add(open, `message ${i}`);
  const refused = await wire.ask("thread/queue/add", { threadId, clientUserMessageId: "x", input: text("too many") });
  assert.equal(refused.error.message, "queue cannot contain more than 100 submissions");
  const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace, ephemeral: true })).result;
  const ephemeral = await wire.ask("thread/queue/add", { threadId: thread.id, clientUserMessageId: "x", input: text("x") });
  assert.equal(ephemeral.error.message, `ephemeral thread does not support queued submissions: ${thread.id}`);
  await wire.ask("turn/interrupt", { threadId, turnId: open.turnId });
  await ends(wire, 1);
  assert.equal((await listed(open)).length, 25, "the first page");
  assert.deepEqual((await wire.ask("thread/delete", { threadId })).result, {});
  assert.equal((await wire.ask("thread/queue/list", { threadId })).error.message, `thread not found: ${threadId}`);
});
