/** One home used by the real Codex 0.166 and by Parley in turn: what each keeps in Codex's databases, and what the other sees of it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { mockHome, program, Side, skip } from "./side.ts";

const model = new MockProvider((response, request) => stream(responsesFrames({ text: "answered" }))(response, request));
let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

const text = (words: string) => [{ type: "text", text: words, text_elements: [] }];

/** What a client reads of the lists, the queue and the goal. */
async function seenBy(side: Side, threadId: string): Promise<Message> {
  const { thread } = await side.call("thread/read", { threadId });
  return {
    name: thread.name,
    section: thread.section,
    project: thread.projectId,
    sections: (await side.call("threadSection/list")).data,
    projects: (await side.call("project/list")).data.map(({ recencyAt: _at, ...project }: Message) => project),
    attachments: (await side.call("thread/attachment/list", { threadId })).data,
    owners: (await side.call("thread/attachmentOwner/list", { attachmentType: "pr", identityKey: "k1" })).data,
    inSection: (await side.call("thread/list", { sectionId: thread.section?.id })).data.map(({ id }: Message) => id),
    queue: (await side.call("thread/queue/list", { threadId })).data,
    goal: (await side.call("thread/goal/get", { threadId })).goal,
    unread: (await side.call("thread/read", { threadId })).readState,
  };
}

/** A thread of the side's with a place in every table, in which a message waits and a goal is paused. */
async function fill(side: Side): Promise<string> {
  const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws") });
  await side.turn(thread.id, "begin");
  const { section } = await side.call("threadSection/create", { name: "Mine", appearance: { icon: "star", color: "red" } });
  await side.call("thread/section/move", { threadId: thread.id, sectionId: section.id, beforeThreadId: null });
  const roots = [{ path: path.join(side.folder, "ws") }];
  await side.call("project/import", { idempotencyKey: "pk", name: "P", roots, threads: [thread.id] });
  await side.call("thread/attachment/add", { threadId: thread.id, attachmentType: "pr", identityKey: "k1", payload: { url: "x" } });
  await side.call("thread/name/set", { threadId: thread.id, name: "Named" });
  await side.call("thread/goal/set", { threadId: thread.id, objective: "reach it", status: "paused", tokenBudget: 5000 });
  return thread.id;
}

async function opened(t: TestContext, folder: string, which: string | undefined): Promise<Side> {
  return await new Side(t, folder, which).open();
}

test("what Codex keeps is read from its files; queue, goals and names are written there too", { skip, timeout: 300_000 }, async (t) => {
  const folder = scratch(t);
  mockHome(folder, provider);
  const codex = await opened(t, folder, program);
  const threadId = await fill(codex);
  const theirs = await seenBy(codex, threadId);
  await codex.end();
  for (const name of ["state_5", "queue_1", "goals_1"]) assert.ok(existsSync(path.join(folder, `home/${name}.sqlite`)), name);

  const parley = await opened(t, folder, undefined);
  assert.deepEqual(await seenBy(parley, threadId), theirs);
  assert.deepEqual(
    [theirs["name"], theirs["section"].name, theirs["projects"].length, theirs["goal"].status],
    ["Named", "Mine", 1, "paused"],
  );
  await parley.call("thread/name/set", { threadId, name: "Renamed" });
  await parley.call("thread/goal/set", { threadId, objective: "reach another", tokenBudget: 6000 });
  await parley.call("thread/queue/add", { threadId, clientUserMessageId: "later", input: text("for later") });
  const ours = await seenBy(parley, threadId);
  await parley.end();

  const again = await opened(t, folder, program);
  const { name, goal, queue } = await seenBy(again, threadId);
  assert.deepEqual({ name, goal, queue }, { name: "Renamed", goal: ours["goal"], queue: ours["queue"] });
  assert.equal(queue[0].input[0].text, "for later");
  await again.end();
});

test("files of Codex that are damaged stop nothing, and stay as they are", { timeout: 300_000 }, async (t) => {
  const folder = scratch(t);
  mockHome(folder, provider);
  for (const name of ["state_5", "queue_1", "goals_1"])
    writeFileSync(path.join(folder, `home/${name}.sqlite`), "this is no database\n".repeat(500));
  const side = await opened(t, folder, undefined);
  const { thread } = await side.call("thread/start", { cwd: path.join(folder, "ws") });
  await side.turn(thread.id, "begin");
  const outcome: Record<string, unknown> = {};
  for (const [method, params] of [
    ["threadSection/create", { name: "Mine" }],
    ["thread/queue/add", { threadId: thread.id, clientUserMessageId: "q", input: text("waits") }],
    ["thread/goal/set", { threadId: thread.id, objective: "reach it", status: "paused" }],
    ["thread/name/set", { threadId: thread.id, name: "Named" }],
  ] as const)
    outcome[method] = await side.call(method, params).then(() => "done", String);
  assert.deepEqual([...new Set(Object.values(outcome))], ["done"], JSON.stringify(outcome));
  await side.notified("warning", ({ message }) => /queue_1\.sqlite is damaged and not used/.test(message));
  assert.equal((await side.call("thread/read", { threadId: thread.id })).thread.id, thread.id);
  await side.turn(thread.id, "again");
  assert.match(readFileSync(path.join(folder, "home/queue_1.sqlite"), "utf8"), /^this is no database/);
  await side.end();
});
