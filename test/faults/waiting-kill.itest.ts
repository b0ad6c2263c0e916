/** kill -9 of a server in which messages wait: none is lost, none is started twice, and the next server goes on with them. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { root, ServerProcess, scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";

const text = (words: string) => [{ type: "text", text: words, text_elements: [] }];

async function open(t: TestContext, folder: string) {
  const server = new ServerProcess(t, [], {}, { folder });
  let ids = 0;
  const call = async (method: string, params: object = {}): Promise<Message> => {
    const id = ++ids;
    server.write(`${JSON.stringify({ id, method, params })}\n`);
    const { result, error } = await server.answer(id);
    assert.equal(error, undefined, `${method}: ${error?.message}`);
    return result;
  };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  await call("initialize", { clientInfo: { name: "waiting", title: null, version: "1" }, capabilities });
  return { server, call };
}

function homeWith(t: TestContext, provider: string, more = ""): string {
  const folder = scratch(t);
  for (const name of ["home", "ws"]) mkdirSync(path.join(folder, name));
  const config = `model = "mock-model"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "${provider}/v1"\nwire_api = "responses"\n${more}`;
  writeFileSync(path.join(folder, "home/config.toml"), config);
  return folder;
}

const messagesOf = (turns: readonly Message[]): string[] =>
  turns.flatMap(({ items }) => items.flatMap((item: Message) => (item.type === "userMessage" ? [item.content[0].text] : [])));

test("a message whose turn had begun is not started again, and the next one starts by itself", async (t) => {
  // The first message is answered; the second one's answer never comes while the first server lives.
  const killed = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const model = new MockProvider(async (response, request) => {
    const last = JSON.stringify(request.body["input"]);
    if (last.includes("FIRST-WAITING") && !last.includes("SECOND-WAITING")) {
      asked.resolve();
      await killed.promise;
    }
    return await stream(responsesFrames({ text: "answered" }))(response, request);
  });
  const provider = await model.listen();
  t.after(() => model[Symbol.asyncDispose]());
  const folder = homeWith(t, provider);

  const first = await open(t, folder);
  const { thread } = await first.call("thread/start", { cwd: path.join(folder, "ws") });
  const threadId = thread.id;
  await first.call("turn/start", { threadId, input: text("begin") });
  const one = (await first.call("thread/queue/add", { threadId, clientUserMessageId: "1", input: text("FIRST-WAITING") })).queuedSubmission;
  await first.call("thread/queue/add", { threadId, clientUserMessageId: "2", input: text("SECOND-WAITING") });
  await asked.promise;
  first.server.child.kill("SIGKILL");
  await first.server.ended;
  killed.resolve();

  // As if the kill had come after the message was stored and before it was taken out of the queue.
  const queue = new DatabaseSync(path.join(folder, "home/parley/queue_1.sqlite"));
  const [waiting] = queue.prepare("SELECT * FROM queued_items").all();
  queue
    .prepare("INSERT INTO queued_items (id, thread_id, payload_json, queue_order, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?)")
    .run(one.id, threadId, String(waiting?.["payload_json"]).replace("SECOND", "FIRST"), -1, 1, 1);
  queue.close();

  const second = await open(t, folder);
  const { thread: resumed } = await second.call("thread/resume", { threadId });
  assert.deepEqual(messagesOf(resumed.turns), ["begin", "FIRST-WAITING"]);
  const { data } = await second.call("thread/queue/list", { threadId });
  assert.deepEqual(
    data.map(({ input }: Message) => input[0].text),
    ["SECOND-WAITING"],
    "what had begun no longer waits",
  );
  await second.server.until(() => second.server.messages.find((m) => m.method === "turn/completed"), "the end of the turn that waited");
  const { thread: read } = await second.call("thread/read", { threadId, includeTurns: true });
  assert.deepEqual(messagesOf(read.turns), ["begin", "FIRST-WAITING", "SECOND-WAITING"]);
  assert.deepEqual((await second.call("thread/queue/list", { threadId })).data, []);
  second.server.child.stdin.end();
  await second.server.ended;
  const left = new DatabaseSync(path.join(folder, "home/parley/queue_1.sqlite"), { readOnly: true });
  assert.deepEqual(left.prepare("SELECT id FROM queued_items").all(), [], "and it is gone from the file");
  left.close();
});

test("a form that an MCP server asked for in a call is not put again: the client and the model read that the call's outcome is unknown", async (t) => {
  const requests: string[] = [];
  const model = new MockProvider(async (response, request) => {
    requests.push(JSON.stringify(request.body["input"]));
    const reply = requests.length === 1 ? { calls: [{ id: "call_1", name: "mcp__notes__ask", args: "{}" }] } : { text: "over" };
    return await stream(responsesFrames(reply))(response, request);
  });
  const provider = await model.listen();
  t.after(() => model[Symbol.asyncDispose]());
  const fixture = path.join(root, "test/support/mcp-fixture.ts");
  const server = `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}]\napproval = "allow"\n`;
  const folder = homeWith(t, provider, server);
  const first = await open(t, folder);
  const { thread } = await first.call("thread/start", { cwd: path.join(folder, "ws") });
  const threadId = thread.id;
  await first.call("turn/start", { threadId, input: text("ask them") });
  await first.server.until(() => first.server.messages.find((m) => m.method === "mcpServer/elicitation/request"), "the form");
  first.server.child.kill("SIGKILL");
  await first.server.ended;

  const second = await open(t, folder);
  const { thread: resumed } = await second.call("thread/resume", { threadId });
  const { status, items } = resumed.turns.at(-1);
  const call = items.find(({ type }: Message) => type === "mcpToolCall");
  assert.deepEqual([status, call?.tool, call?.status], ["interrupted", "ask", "failed"]);
  assert.match(call.error.message, /Whether and how far it took effect is unknown/);
  await second.call("turn/start", { threadId, input: text("and now") });
  await second.server.until(() => second.server.messages.find((m) => m.method === "turn/completed"), "the end");
  assert.match(
    requests.at(-1) ?? "",
    /function_call_output","call_id":"call_1","output":"[^"]*Whether and how far it took effect is unknown/,
  );
  second.server.child.stdin.end();
  await second.server.ended;
});
