/** What the chat wire sends, and how it degrades for servers with fewer abilities. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collect, failureOf, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { chatFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import { seal } from "./convert.ts";
import { isRecord, type Json, listOf, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

const local = builtInProvider("vllm", {}) ?? assert.fail();

async function ask(answers: readonly Answer[], changes: Partial<ModelRequest> = {}, provider: Partial<ProviderConfig> = {}) {
  await using mock = new MockProvider(...answers);
  const client = createModelClients({ env: {} }).clientFor({ ...local, baseUrl: `${await mock.listen()}/v1`, ...provider });
  const events = await collect(client, modelRequest(changes));
  const messages = listOf(recordOf(mock.requests.at(-1)?.body)["messages"]).filter(isRecord);
  return { events, requests: mock.requests, body: recordOf(mock.requests.at(-1)?.body), messages };
}
const ok = stream(chatFrames({ text: "ok" }));
const chunks = (...choices: Json[]): Answer =>
  stream([...choices.map((choice) => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`), "data: [DONE]\n\n"]);

const thread: ModelItem[] = [
  { type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] },
  userText("<environment_context>"),
  userText("go"),
  { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "hm" }] },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "looking" }] },
  { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
  { type: "function_call", call_id: "b", name: "read", namespace: "mcp__files", arguments: "{}" },
  { type: "function_call_output", call_id: "a", output: "x.txt" },
  { type: "function_call_output", call_id: "b", output: "content" },
  { type: "message", role: "developer", content: [{ type: "input_text", text: "new rules" }] },
];

it("arguments in forty thousand chunks take time proportional to their length", async () => {
  const call = (fn: Json, id?: string): Json => ({
    delta: { tool_calls: [{ index: 0, ...(id === undefined ? {} : { id }), function: fn }] },
  });
  const pieces = Array.from({ length: 40_000 }, () => call({ arguments: "abcd" }));
  const first = call({ name: "exec_command", arguments: '{"cmd":"' }, "a");
  const from = process.threadCpuUsage();
  const { events } = await ask([chunks(first, ...pieces, call({ arguments: '"}' }), { finish_reason: "tool_calls" })]);
  const { user } = process.threadCpuUsage(from);
  const [item] = itemsOf(events);
  assert.equal(item?.type === "function_call" && item.arguments.length, 160_010);
  assert.ok(user < 3_000_000, `${user} µs`);
});

describe("a chat request", () => {
  it("has one system message, joined users and paired calls", async () => {
    const { messages, body } = await ask([ok], { input: thread });
    assert.deepEqual(messages, [
      { role: "system", content: "You are a test.\n\n<developer_instructions>\nrules\n</developer_instructions>" },
      { role: "user", content: "<environment_context>\n\ngo" },
      {
        role: "assistant",
        content: "looking",
        tool_calls: [
          { id: "a", type: "function", function: { name: "exec_command", arguments: '{"cmd":"ls"}' } },
          { id: "b", type: "function", function: { name: "mcp__files__read", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "x.txt" },
      { role: "tool", tool_call_id: "b", content: "content" },
      { role: "user", content: "<developer_instructions>\nnew rules\n</developer_instructions>" },
    ]);
    assert.deepEqual(body["stream_options"], { include_usage: true });
    assert.equal(body["parallel_tool_calls"], undefined);
    assert.deepEqual(recordOf(recordOf(listOf(body["tools"])[1])["function"])["name"], "apply_patch");
  });

  it("sends reasoning back to the servers that require it, even empty", async () => {
    const { messages } = await ask([ok], { input: thread, model: "deepseek-v4-pro" });
    assert.equal(messages[2]?.["reasoning_content"], "hm");
    const { messages: empty } = await ask([ok], { input: thread.filter((item) => item.type !== "reasoning"), model: "deepseek-v4-pro" });
    assert.equal(empty[2]?.["reasoning_content"], "");
    const { messages: oss } = await ask([ok], { input: thread, model: "gpt-oss:20b" });
    assert.equal(oss[2]?.["reasoning"], "hm");
  });

  it("sends sealed details and signatures back", async () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "s" }];
    const input: ModelItem[] = [
      userText("go"),
      { type: "reasoning", summary: [], encrypted_content: seal("chat", { details }) },
      {
        type: "function_call",
        call_id: "a",
        name: "exec_command",
        arguments: "{}",
        encrypted_content: seal("chat", { extra_content: { google: { thought_signature: "t" } } }),
      },
      { type: "function_call_output", call_id: "a", output: "" },
    ];
    const { messages, events } = await ask([ok], { input });
    assert.deepEqual(messages[2]?.["reasoning_details"], details);
    assert.deepEqual(recordOf(listOf(messages[2]?.["tool_calls"])[0])["extra_content"], { google: { thought_signature: "t" } });
    assert.ok(!events.some((event) => event.type === "warning"));
  });

  it("marks calls of other models for Gemini", async () => {
    const { messages } = await ask([ok], { input: thread, model: "gemini-3-pro-preview" });
    const [first, second] = listOf(messages[2]?.["tool_calls"]).map(recordOf);
    assert.deepEqual(first?.["extra_content"], { google: { thought_signature: "skip_thought_signature_validator" } });
    assert.equal(second?.["extra_content"], undefined);
  });

  it("sends the nearest effort and a schema", async () => {
    const { body } = await ask([ok], { model: "gpt-oss-120b", effort: "xhigh", outputSchema: { type: "object" } });
    assert.equal(body["reasoning_effort"], "high");
    assert.deepEqual(body["response_format"], {
      type: "json_schema",
      json_schema: { name: "codex_output_schema", strict: true, schema: { type: "object" } },
    });
  });

  it("adds the provider's own fields", async () => {
    const { body } = await ask([ok], {}, { options: { extra_body: { provider: { sort: "price" } } } });
    assert.deepEqual(body["provider"], { sort: "price" });
  });
});

describe("a server with fewer abilities", () => {
  const cases: readonly [string, string, Partial<ModelRequest>, (body: Json) => boolean][] = [
    ["stream_options", "Unrecognized request argument supplied: stream_options", {}, (body) => body["stream_options"] === undefined],
    [
      "parallel_tool_calls",
      "parallel_tool_calls is not supported",
      { parallelToolCalls: false },
      (body) => body["parallel_tool_calls"] === undefined,
    ],
    ["reasoning_effort", "unknown field: reasoning_effort", { effort: "low" }, (body) => body["reasoning_effort"] === undefined],
    [
      "response_format",
      "response_format json_schema is unsupported",
      { outputSchema: { type: "object" } },
      (body) => body["response_format"] === undefined,
    ],
  ];
  for (const [field, message, changes, without] of cases)
    it(`gets no ${field} after it refused it`, async () => {
      const { events, requests } = await ask([refuse(400, { error: { message } }), ok], changes);
      assert.equal(textOf(events), "ok");
      assert.equal(requests.length, 2);
      assert.ok(without(recordOf(requests[1]?.body)));
    });

  it("does not get the same refused field twice", async () => {
    const { events, requests } = await ask([refuse(400, { error: { message: "stream_options is not supported" } })]);
    assert.equal(failureOf(events).kind, "badRequest");
    assert.equal(requests.length, 2);
  });

  it("remembers what a model cannot do", async () => {
    await using mock = new MockProvider(refuse(400, { error: { message: "stream_options is not supported" } }), ok);
    const client = createModelClients({ env: {} }).clientFor({ ...local, baseUrl: `${await mock.listen()}/v1` });
    await collect(client, modelRequest());
    await collect(client, modelRequest());
    assert.equal(mock.requests.length, 3);
  });

  it("gets notes in place of images", async () => {
    const input: ModelItem[] = [
      { type: "message", role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] },
    ];
    const refusal = refuse(500, { error: { message: "image input is not supported - hint: you may need to provide the mmproj" } });
    const { events, requests } = await ask([refusal, ok], { input });
    assert.equal(textOf(events), "ok");
    assert.ok(!JSON.stringify(requests[1]?.body).includes("AAAA"));
    assert.ok(events.some((event) => event.type === "warning" && /images/.test(event.message)));
  });

  it("gets a warning about its small window, once", async () => {
    await using mock = new MockProvider(ok);
    const client = createModelClients({ env: {} }).clientFor({ ...local, baseUrl: `${await mock.listen()}/v1` });
    const warnings = async () =>
      (await collect(client, modelRequest({ model: "gemma:2b", tools: [] }))).filter((event) => event.type === "warning");
    assert.match(JSON.stringify(await warnings()), /small \(8192 tokens\)/);
    assert.deepEqual(await warnings(), []);
  });

  it("gets its tools as text, and its calls are parsed from text", async () => {
    const call = 'I look.\n<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "ls"}}\n</tool_call>';
    const refusal = refuse(400, { error: { message: "registry.ollama.ai/library/gemma:2b does not support tools" } });
    const { events, requests, messages, body } = await ask([refusal, stream(chatFrames({ text: call, deltas: 30 }))], { input: thread });
    assert.equal(requests.length, 2);
    assert.equal(body["tools"], undefined);
    assert.match(`${messages[0]?.["content"]}`, /exec_command/);
    assert.match(`${messages[2]?.["content"]}`, /<tool_call>\n\{"id": "a", "name": "exec_command"/);
    assert.match(`${messages[3]?.["content"]}`, /<tool_result id="a">\nx\.txt/);
    const [message, made] = itemsOf(events);
    assert.equal(message?.type, "message");
    assert.ok(made?.type === "function_call" && made.name === "exec_command" && made.arguments === '{"cmd":"ls"}');
    assert.equal(textOf(events), "I look.\n");
    assert.ok(events.some((event) => event.type === "warning" && /tool/.test(event.message)));
  });
});

describe("a chat stream", () => {
  it("that stops at the output limit is completed with a note", async () => {
    const { events } = await ask([chunks({ delta: { content: "half" } }, { delta: {}, finish_reason: "length" })]);
    assert.deepEqual(
      events.slice(-2).map((event) => event.type),
      ["warning", "completed"],
    );
  });

  it("that stops inside a call names the cut call, and returns none of its input", async () => {
    const part = { index: 0, id: "c", function: { name: "exec_command", arguments: '{"cmd": "rm -rf' } };
    const { events } = await ask([chunks({ delta: { tool_calls: [part] } }, { delta: {}, finish_reason: "length" })]);
    assert.partialDeepStrictEqual(events.at(-1), { type: "completed", cut: { callIds: ["c"], maxOutputTokens: 16_000 } });
    assert.partialDeepStrictEqual(itemsOf(events), [{ type: "function_call", call_id: "c", arguments: "{}" }]);
  });

  it("that was filtered is a bad request", async () => {
    const { events } = await ask([chunks({ delta: { content: "x" } }, { delta: {}, finish_reason: "content_filter" })]);
    assert.equal(failureOf(events).kind, "badRequest");
  });

  it("distinguishes calls that share an index or have no id", async () => {
    const whole = (id: string, cmd: string) => ({
      index: 0,
      ...(id === "" ? {} : { id }),
      function: { name: "exec_command", arguments: `{"cmd":"${cmd}"}` },
    });
    const { events } = await ask([
      chunks(
        { delta: { tool_calls: [whole("x", "a")] } },
        { delta: { tool_calls: [whole("y", "b")] } },
        { delta: {}, finish_reason: "tool_calls" },
      ),
    ]);
    assert.deepEqual(
      itemsOf(events).map((item) => (item.type === "function_call" ? item.arguments : "")),
      ['{"cmd":"a"}', '{"cmd":"b"}'],
    );
    const { events: nameless } = await ask([chunks({ delta: { tool_calls: [whole("", "a")] } }, { delta: {}, finish_reason: "stop" })]);
    const [call] = itemsOf(nameless);
    assert.ok(call?.type === "function_call" && call.call_id.startsWith("call_"));
  });
});
