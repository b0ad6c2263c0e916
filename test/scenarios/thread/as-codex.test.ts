/** What the tests of Codex's own app-server expect of threads and turns beyond the documents. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chatFrames, responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const text = (content: string) => ({ type: "text", text: content });

async function opened(stage: Stage, options: StageOptions = {}, params: Record<string, unknown> = {}) {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true, optOutNotificationMethods: [] });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace, ...params });
  return { wire, threadId: result.thread.id as string, started: result };
}

async function turn(wire: Wire, threadId: string, params: Record<string, unknown> = {}): Promise<Message> {
  const { result, error } = await wire.ask("turn/start", { threadId, input: [text("go")], ...params });
  assert.equal(error, undefined, JSON.stringify(error));
  return await wire.until((m) => m.method === "turn/completed" && m.params.turn.id === result.turn.id);
}

/** A provider that records its requests. */
async function onProvider(stage: Stage, use: (opened: { wire: Wire; threadId: string; body: () => Message }) => Promise<void>) {
  await using provider = new MockProvider(stream(responsesFrames({ text: "seen" })));
  const url = await provider.listen();
  const config = `[model_providers.mock]\nname = "Mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n`;
  const { wire, threadId } = await opened(stage, { config }, { modelProvider: "mock", model: "gpt-5.5" });
  await use({ wire, threadId, body: () => provider.requests.at(-1)?.body });
}

verifies("turn.empty", async (stage) => {
  await onProvider(stage, async ({ wire, threadId, body }) => {
    const { params } = await turn(wire, threadId, { input: [] });
    assert.equal(params.turn.status, "completed");
    const reply = wire.received.find((m) => m.method === "item/completed" && m.params.item.type === "agentMessage");
    assert.equal(reply?.params.item.text, "seen");
    assert.match(JSON.stringify(body().input), /<environment_context>/);
  });
});

verifies("review.named", async (stage) => {
  const { wire, threadId } = await opened(stage, { turns: [[{ say: "fine" }]] });
  const target = { type: "commit", sha: "1234567deadbeef", title: "Tidy UI colors" };
  const { result } = await wire.ask("review/start", { threadId, target, delivery: "inline" });
  assert.equal(result.turn.items[0].content[0].text, "commit 1234567: Tidy UI colors");
  await wire.notification("turn/completed");
});

verifies("command.processId", async (stage) => {
  const { wire, threadId } = await opened(stage, {
    turns: [[{ call: "exec_command", with: { cmd: "echo up; sleep 60", yield_time_ms: 250 } }, { say: "{{output}}" }]],
    config: 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n',
  });
  await turn(wire, threadId);
  const started = wire.received.find((m) => m.method === "item/started" && m.params.item.type === "commandExecution");
  const { processId, source } = started?.params.item ?? {};
  assert.equal(source, "unifiedExecStartup");
  const message = wire.received.find((m) => m.method === "item/completed" && m.params.item.type === "agentMessage");
  assert.ok(message?.params.item.text.includes(`session ID ${processId}`), "the number by which the model knows it");
  assert.deepEqual((await wire.ask("thread/backgroundTerminals/terminate", { threadId, processId })).result, { terminated: true });
  const done = await wire.until((m) => m.method === "item/completed" && m.params.item.type === "commandExecution");
  assert.equal(done.params.item.processId, processId);
});

const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false };
const legacyTools = [
  { name: "ticket", description: "A ticket", inputSchema },
  { namespace: "desk", name: "status", description: "Its status", inputSchema },
  { namespace: "desk", name: "close", description: "Close it", inputSchema },
];
const described = (name: string, description: string) => ({ type: "function", name, description, strict: false, parameters: inputSchema });

for (const wireApi of ["responses", "chat"] as const)
  verifies("dynamicTool.namespace", async (stage) => {
    const call = wireApi === "responses" ? { namespace: "desk", name: "status" } : { name: "desk__status" };
    const frames = wireApi === "responses" ? responsesFrames : chatFrames;
    await using provider = new MockProvider((response, request) => {
      const isAnswered = /"(?:function_call_output|tool_call_id)"/.test(JSON.stringify(request.body));
      const reply = isAnswered ? { text: "done" } : { calls: [{ id: "c1", args: '{"id":"A"}', ...call }] };
      return stream(frames(reply))(response, request);
    });
    const url = await provider.listen();
    const config = `[model_providers.mock]\nname = "Mock"\nbase_url = "${url}/v1"\nwire_api = "${wireApi}"\nrequest_max_retries = 0\n`;
    const { wire, threadId } = await opened(stage, { config }, { modelProvider: "mock", model: "gpt-5.5", dynamicTools: legacyTools });
    const ended = turn(wire, threadId);
    const asked = await wire.until((m) => m.method === "item/tool/call", "the call");
    assert.deepEqual([asked.params.namespace, asked.params.tool, asked.params.arguments], ["desk", "status", { id: "A" }]);
    wire.send({ id: asked.id, result: { contentItems: [{ type: "inputText", text: "open" }], success: true } });
    assert.equal((await ended).params.turn.status, "completed");
    const [first = {}, second = {}] = provider.requests.flatMap(({ body }) => (body["tools"] === undefined ? [] : [body]));
    const sent = (first["tools"] as Message[]).filter((tool) => /ticket|desk/.test(JSON.stringify(tool)));
    if (wireApi === "chat")
      assert.deepEqual(
        sent.map((tool) => tool.function.name),
        ["ticket", "desk__status", "desk__close"],
      );
    else {
      const tools = [described("status", "Its status"), described("close", "Close it")];
      const desk = { type: "namespace", name: "desk", description: "Tools in the desk namespace.", tools };
      assert.deepEqual(sent, [described("ticket", "A ticket"), desk]);
      const called = (second["input"] as Message[]).find(({ type }) => type === "function_call");
      assert.deepEqual([called.namespace, called.name], ["desk", "status"], "sent back as it came");
    }
  });

verifies("turn.contextOnce", async (stage) => {
  await onProvider(stage, async ({ wire, threadId, body }) => {
    const open = (file: string) => ({ additionalContext: { ide: { value: file, kind: "application" } } });
    for (const file of ["a.ts", "a.ts", "b.ts", "a.ts"]) await turn(wire, threadId, open(file));
    const read = body()
      .input.flatMap((item: Message) => item.content ?? [])
      .map((part: Message) => part.text);
    assert.deepEqual(
      read.filter((content: string) => content?.startsWith("<ide>")),
      ["<ide>a.ts</ide>", "<ide>b.ts</ide>", "<ide>a.ts</ide>"],
    );
  });
});

verifies("turn.usualTier", async (stage) => {
  await onProvider(stage, async ({ wire, threadId, body }) => {
    const sent: unknown[] = [];
    for (const params of [{ serviceTier: "flex" }, {}, { serviceTier: null }, { serviceTier: "flex" }, { serviceTier: "default" }]) {
      await turn(wire, threadId, params);
      sent.push(body().service_tier);
    }
    assert.deepEqual(sent, ["flex", "flex", undefined, "flex", undefined]);
    await wire.ask("thread/settings/update", { threadId, serviceTier: "flex" });
    await wire.ask("thread/settings/update", { threadId, serviceTier: null });
    const tiers = wire.received.filter((m) => m.method === "thread/settings/updated").map((m) => m.params.threadSettings.serviceTier);
    assert.deepEqual(tiers.slice(-2), ["flex", "default"]);
  });
});

verifies("turn.questionBeside", async (stage) => {
  const question = { id: "color", header: "Color", question: "Which?", options: [{ label: "Red", description: "" }] };
  const { wire, threadId } = await opened(stage, {
    turns: Array(2).fill([{ call: "request_user_input", with: { questions: [question] } }, { say: "done" }]),
  });
  const blocking = async (mode: string) => {
    const done = turn(wire, threadId, { collaborationMode: { mode, settings: { model: "scripted" } } });
    const asked = await wire.until((m) => m.method === "item/tool/requestUserInput" && !m.isAnswered);
    asked.isAnswered = true;
    wire.send({ id: asked.id, result: { answers: { color: { answers: ["Red"] } } } });
    await done;
    return asked.params.isBlocking;
  };
  assert.deepEqual([await blocking("plan"), await blocking("default")], [true, false]);
});

verifies("thread.noMachine", async (stage) => {
  writeFileSync(path.join(stage.home, "AGENTS.md"), "of the home");
  writeFileSync(path.join(stage.workspace, "AGENTS.md"), "of the project");
  const { wire, started } = await opened(stage);
  const [own, projects] = [path.join(stage.home, "AGENTS.md"), path.join(stage.workspace, "AGENTS.md")];
  assert.deepEqual(started.instructionSources, [own, projects]);
  const none = await wire.ask("thread/start", { cwd: stage.workspace, environments: [] });
  assert.deepEqual(none.result.instructionSources, [own]);
  await turn(wire, none.result.thread.id);
  const read = readFileSync(none.result.thread.path, "utf8");
  assert.ok(read.includes("of the home") && !read.includes("of the project"), read);
  const refusal = async (cwd: string) =>
    (await wire.ask("thread/start", { environments: [{ environmentId: "local", cwd }] })).error?.message;
  assert.match(await refusal("relative"), /^invalid cwd for environment `local`: path `relative` does not use absolute/);
  assert.equal(await refusal(`/${"x".repeat(9000)}`), "turn environment working directory exceeds the maximum size");
});

verifies("thread.runningAsIs", async (stage) => {
  const { wire, threadId, started } = await opened(stage);
  await turn(wire, threadId);
  const refusal = async (params: Record<string, unknown>) => (await wire.ask("thread/resume", { threadId, ...params })).error?.message;
  const history = [{ type: "message", role: "user", content: [{ type: "input_text", text: "another past" }] }];
  assert.equal(await refusal({ history }), `cannot resume thread ${threadId} with history while it is already running`);
  const elsewhere = path.join(stage.home, "elsewhere.jsonl");
  assert.equal(
    await refusal({ path: elsewhere }),
    `cannot resume running thread ${threadId} with stale path: requested \`${elsewhere}\`, active \`${started.thread.path}\``,
  );
  assert.equal(await refusal({ path: started.thread.path }), undefined);
});

verifies("thread.usageWithTurns", async (stage) => {
  const { wire, threadId } = await opened(stage);
  await turn(wire, threadId);
  const isUsageSent = async (method: string, params: Record<string, unknown>) => {
    const before = wire.received.length;
    const { result } = await wire.ask(method, { threadId, ...params });
    await wire.ask("thread/loaded/list", {}); // notifications caused by a response arrive before the next response
    return wire.received.slice(before).some((m) => m.method === "thread/tokenUsage/updated" && m.params.threadId === result.thread.id);
  };
  for (const method of ["thread/resume", "thread/fork"])
    assert.deepEqual([await isUsageSent(method, {}), await isUsageSent(method, { excludeTurns: true })], [true, false], method);
});

verifies("thread.historyShown", async (stage) => {
  const { wire } = await opened(stage);
  const history = [{ type: "message", role: "user", content: [{ type: "input_text", text: "from elsewhere" }] }];
  const { result } = await wire.ask("thread/resume", { threadId: "0199a213-81c0-7800-8aa1-bbab2a035a53", history });
  assert.equal(result.thread.preview, "from elsewhere");
});

verifies("thread.gitCleared", async (stage) => {
  const { wire, threadId } = await opened(stage);
  await turn(wire, threadId);
  const update = (gitInfo: unknown) => wire.ask("thread/metadata/update", { threadId, gitInfo });
  assert.equal((await update({ branch: "side" })).result.thread.gitInfo.branch, "side");
  assert.equal((await update({})).error.message, "gitInfo must include at least one field");
  assert.equal((await update({ sha: null, branch: null, originUrl: null })).result.thread.gitInfo, null);
  await stage.restart();
  const later = await stage.wire();
  await later.initialize({ experimentalApi: true, optOutNotificationMethods: [] });
  assert.equal((await later.ask("thread/read", { threadId })).result.thread.gitInfo, null);
});
