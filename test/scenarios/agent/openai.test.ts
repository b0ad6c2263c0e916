/** What only OpenAI has: compaction by the provider, and a websocket that is warmed up when a thread starts. */
import assert from "node:assert/strict";
import type { Client, Thread } from "../../../src/client/client.ts";
import { MockSocketProvider, type SocketMind } from "../../support/model-mocks/socket-server.ts";
import { sharedPrefix, Vendor, type Wish } from "../../support/model-mocks/vendor.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

// biome-ignore lint/suspicious/noExplicitAny: request bodies
type Body = any;
const sealed = "gAAAA-history-of-the-thread";
const handOver = `HAND-OVER ${"What was done and what is left. ".repeat(10)}`;
const isTrigger = (body: Body): boolean => body.input.at(-1)?.type === "compaction_trigger";
const isHandOver = (body: Body): boolean => JSON.stringify(body).includes("Write a hand-over");
const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
const own = `options = { hosted_tools = true }\nexperimental_bearer_token = "sk-test-key"\n`;

async function compacted(client: Client, thread: Thread): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const stop = client.on("turn/completed", ({ turn }) => ended.resolve(turn.status));
  await client.call("thread/compact/start", { threadId: thread.id });
  const status = await ended.promise;
  stop();
  return status;
}

async function open({ app, workspace }: Stage, vendor: Vendor, more = "") {
  const client = await app({ config: `${more}\n${await vendor.config(`${own}supports_websockets = false\n`, "openai")}` });
  return { client, thread: await client.startThread({ cwd: workspace, modelProvider: "openai", model: "gpt-5.5", ...free }) };
}

verifies("agent.compactAtProvider", async (stage) => {
  await using vendor = new Vendor({
    wire: "responses",
    think: ({ body }) => (isTrigger(body) ? { compaction: sealed } : { text: "done" }),
  });
  const { client, thread } = await open(stage, vendor);
  for (const text of ["remember the blue door", "two"]) await thread.run(text);
  const before = vendor.requests.at(-1);
  assert.equal(await compacted(client, thread), "completed");
  const asked = vendor.requests.at(-1);
  assert.ok(before !== undefined && asked !== undefined && isTrigger(asked.body));
  assert.equal(sharedPrefix(before, asked), 1);
  assert.deepEqual(asked.body["tools"], before.body["tools"]);
  const holds = (body: Body): void => {
    assert.equal(body.input.filter(({ type }: Body) => type === "compaction").length, 1);
    assert.deepEqual(body.input.find(({ type }: Body) => type === "compaction").encrypted_content, sealed);
    assert.ok(!body.input.some(({ role }: Body) => role === "assistant"), "the model's own messages are in the sealed history");
    assert.match(JSON.stringify(body.input), /remember the blue door/);
  };
  assert.equal((await thread.run("three")).text, "done");
  holds({ ...vendor.requests.at(-1)?.body });
  await stage.restart();
  const again = await (await stage.app()).resumeThread(thread.id);
  await again.run("four");
  const { input }: Body = { ...vendor.requests.at(-1)?.body };
  assert.equal(input.find(({ type }: Body) => type === "compaction").encrypted_content, sealed);
});

for (const refusal of [
  { status: 400, message: "Invalid value: 'compaction_trigger'. Supported values are: 'message', 'reasoning'.", code: "invalid_value" },
  { text: "I do not know what that is." },
] satisfies Wish[])
  verifies("agent.compactAtProviderRefused", async (stage) => {
    await using vendor = new Vendor({
      wire: "responses",
      think: ({ body }) => (isTrigger(body) ? refusal : { text: isHandOver(body) ? handOver : "done" }),
    });
    const { client, thread } = await open(stage, vendor);
    await thread.run("one");
    assert.equal(await compacted(client, thread), "completed");
    assert.equal((await thread.run("two")).text, "done");
    const last = JSON.stringify(vendor.requests.at(-1)?.body);
    assert.ok(last.includes("HAND-OVER") && !last.includes("compaction"));
  });

/** The user's own compaction prompt is meant for a model, so the provider's compaction is not used. */
verifies("agent.compactAtProviderRefused", async (stage) => {
  await using vendor = new Vendor({ wire: "responses", think: ({ body }) => ({ text: isHandOver(body) ? handOver : "done" }) });
  const { client, thread } = await open(stage, vendor, 'compact_prompt = "Write a hand-over in verse."');
  await thread.run("one");
  assert.equal(await compacted(client, thread), "completed");
  assert.ok(!vendor.requests.some(({ body }) => isTrigger(body)));
});

verifies("agent.compactAtProviderLeft", async (stage) => {
  await using vendor = new Vendor({
    wire: "responses",
    think: ({ body }) => (isTrigger(body) ? { compaction: sealed } : { text: "THE MODEL'S ANSWER" }),
  });
  await using other = new Vendor({ wire: "chat", think: () => ({ text: "done elsewhere" }) });
  const { client, thread } = await open(stage, vendor, await other.config());
  await thread.run("WORD-ONE");
  assert.equal(await compacted(client, thread), "completed");
  await thread.run("WORD-TWO");
  await stage.restart();
  const there = await (await stage.app()).resumeThread(thread.id, { model: "qwen3-coder", modelProvider: "mock" });
  assert.equal((await there.run("WORD-THREE")).text, "done elsewhere");
  const sent = JSON.stringify(other.requests.at(-1)?.body["messages"]);
  assert.ok(!sent.includes(sealed));
  assert.equal(sent.split("THE MODEL'S ANSWER").length - 1, 2, "what was said before and after the compaction");
  for (const marker of ["WORD-ONE", "WORD-TWO", "WORD-THREE"]) assert.equal(sent.split(marker).length - 1, 1, marker);
  await stage.restart();
  await (await (await stage.app()).resumeThread(thread.id)).run("four");
  assert.ok(JSON.stringify(other.requests.at(-1)?.body["messages"]).startsWith(sent.slice(0, -2)), "the history stays as it is now");
});

/** The message being answered is recognised by identity, and the restored history contains it once. */
verifies("agent.compactAtProviderLeft", async (stage) => {
  await using vendor = new Vendor({
    wire: "responses",
    think: ({ body }) => (isTrigger(body) ? { compaction: sealed } : { text: "A LONG ANSWER. ".repeat(4000) }),
  });
  await using other = new Vendor({
    wire: "chat",
    window: 16_000,
    think: ({ body }) => ({ text: isHandOver(body) ? handOver : "done elsewhere" }),
  });
  const { client, thread } = await open(stage, vendor, await other.config());
  await thread.run("one");
  assert.equal(await compacted(client, thread), "completed");
  await stage.restart();
  const there = await (await stage.app()).resumeThread(thread.id, {
    ...{ model: "unknown-model", modelProvider: "mock" },
    config: { model_context_window: 16_000 },
  });
  assert.equal((await there.run("carry on")).text, "done elsewhere");
  const sent = JSON.stringify(other.requests.at(-1)?.body["messages"]);
  assert.ok(sent.includes("HAND-OVER") && !sent.includes(sealed));
  assert.equal(sent.split("carry on").length - 1, 1);
});

async function overSocket({ app, workspace }: Stage, mock: MockSocketProvider) {
  const config = `[model_providers.openai]\nname = "mock"\nbase_url = "${await mock.listen()}"\nwire_api = "responses"\nsupports_websockets = true\n${own}`;
  const client = await app({ config });
  return { client, thread: await client.startThread({ cwd: workspace, modelProvider: "openai", model: "gpt-5.5", ...free }) };
}
const answer: SocketMind = (body) => (isTrigger(body) ? { compaction: sealed } : { text: "ok" });

verifies("agent.warmUp", async (stage) => {
  await using mock = new MockSocketProvider(answer);
  const warmed = Promise.withResolvers<void>();
  mock.beforeWarmUp = warmed.promise;
  const { client, thread } = await overSocket(stage, mock);
  await mock.warmUpCame.promise;
  const first = thread.run("hello"); // the turn starts while the warm-up is still in progress
  setImmediate(() => warmed.resolve());
  assert.equal((await first).text, "ok");
  assert.equal((await thread.run("more")).text, "ok");
  assert.equal(await compacted(client, thread), "completed");
  assert.deepEqual([mock.connections, mock.overHttp.length], [1, 0]);
  const [warmUp, start, second, trigger]: Body[] = mock.overSocket.map(({ body }) => body);
  assert.deepEqual([warmUp.generate, warmUp.input], [false, []]);
  assert.deepEqual([start.previous_response_id, start.generate, second.previous_response_id], ["resp_1", undefined, "resp_2"]);
  assert.equal(start.input.at(-1).content[0].text, "hello");
  assert.deepEqual([second.input.length, trigger.input, trigger.previous_response_id], [1, [{ type: "compaction_trigger" }], "resp_3"]);
});

verifies("agent.warmUp", async (stage) => {
  await using mock = new MockSocketProvider({ text: "ok" });
  mock.refusesUpgrade = 404;
  const { thread } = await overSocket(stage, mock);
  assert.equal((await thread.run("hello")).text, "over http");
});
