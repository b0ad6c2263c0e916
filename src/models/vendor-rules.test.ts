/** Requests against mocks that refuse what vendors refuse: known problems are avoided, others are fixed by a retry, and the thread survives. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chatTemplate, chatTemplateNames } from "../../test/support/model-mocks/chat-templates.ts";
import { collect, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { anthropicFrames, chatFrames, responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../../test/support/model-mocks/server.ts";
import {
  anthropicRules,
  chatRules,
  mistralIds,
  mistralOrder,
  type Rule,
  responsesRules,
  ruled,
  unverifiedOrganisation,
} from "../../test/support/model-mocks/vendor-rules.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelEvent, ModelItem, ModelRequest, ToolSpec } from "../core/ports/model-client.ts";
import { isRecord, type Json, listOf, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

const answers: Readonly<Record<string, Answer>> = {
  anthropic: stream(anthropicFrames({ text: "ok" })),
  chat: stream(chatFrames({ text: "ok" })),
  responses: stream(responsesFrames({ text: "ok" })),
};

/** The same client over several requests, as in a thread, with a provider that enforces its rules. */
async function talk(id: string, rules: readonly Rule[], requests: readonly Partial<ModelRequest>[], changes: Partial<ProviderConfig> = {}) {
  const provider = builtInProvider(id, {}) ?? assert.fail(id);
  await using mock = new MockProvider(ruled(rules, answers[provider.wireApi] ?? assert.fail()));
  const client = createModelClients({ env: { KEY: "sk-test-key" } }).clientFor({
    ...provider,
    baseUrl: `${await mock.listen()}/v1`,
    envKey: "KEY",
    ...changes,
  });
  const events: ModelEvent[][] = [];
  for (const request of requests) events.push(await collect(client, modelRequest(request)));
  return { events, sent: mock.requests.map(({ body }) => recordOf(body)), requests: mock.requests };
}
const warningsOf = (events: readonly ModelEvent[] | undefined): string =>
  (events ?? []).flatMap((event) => (event.type === "warning" ? [event.message] : [])).join("\n");
const messagesOf = (body: Json | undefined): Json[] => listOf(body?.["messages"]).filter(isRecord);
const blocksOf = (body: Json | undefined): Json[] => messagesOf(body).flatMap((message) => listOf(message["content"]).filter(isRecord));

const shown = (url: string): ModelItem => ({ type: "message", role: "user", content: [{ type: "input_image", image_url: url }] });
const call = (id: string, cmd = "ls"): ModelItem => ({
  type: "function_call",
  call_id: id,
  name: "exec_command",
  arguments: JSON.stringify({ cmd }),
});
const output = (id: string, text = "x.txt"): ModelItem => ({ type: "function_call_output", call_id: id, output: text });
const foreignThread: ModelItem[] = [
  userText("go"),
  call("call_000002abcdef0123456789"),
  call("call_000003abcdef0123456789"),
  output("call_000002abcdef0123456789"),
  output("call_000003abcdef0123456789"),
  userText("and now?"),
];

function png(width: number, height: number, bytes = 64): string {
  const data = Buffer.alloc(bytes);
  data.writeUInt32BE(0x89504e47, 0);
  data.writeUInt32BE(0x0d0a1a0a, 4);
  data.write("IHDR", 12, "latin1");
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  return data.toString("base64");
}
const jpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc00011080010001003012200021101031101ffd9", "hex").toString("base64");

describe("an image that a provider would refuse", () => {
  it("is left out with a warning when it is too large or too wide for Claude", async () => {
    const heavy = `data:image/png;base64,${png(100, 100, 4 * 1024 * 1024)}`;
    const wide = `data:image/png;base64,${png(9000, 100)}`;
    const request = { model: "claude-opus-5-5", input: [shown(heavy), shown(wide), userText("what is it?")] };
    const { events, sent } = await talk("anthropic", anthropicRules, [request]);
    assert.equal(textOf(events[0] ?? []), "ok");
    assert.match(warningsOf(events[0]), /5\.3 MB as base64, and the provider takes 5 MB/);
    assert.match(warningsOf(events[0]), /9000 pixels, and the provider takes 8000/);
    assert.equal(sent.length, 1);
    assert.ok(blocksOf(sent[0]).every((block) => block["type"] === "text"));
  });

  it("is sent with its real media type when it is mislabelled", async () => {
    const request = { model: "claude-opus-5-5", input: [shown(`data:image/png;base64,${jpeg}`)] };
    const { events, sent } = await talk("anthropic", anthropicRules, [request]);
    assert.equal(textOf(events[0] ?? []), "ok");
    assert.equal(recordOf(blocksOf(sent[0])[0]?.["source"])["media_type"], "image/jpeg");
  });

  it("is replaced by a note after the refusal, and stays out of later requests; other images stay in", async () => {
    const good = shown(`data:image/png;base64,${png(10, 10)}`);
    const bad = shown("data:image/png;base64,bm90IGFuIGltYWdl");
    const { events, sent } = await talk("anthropic", anthropicRules, [
      { model: "claude-opus-5-5", input: [good, bad] },
      { model: "claude-opus-5-5", input: [good, bad, userText("go on")] },
    ]);
    assert.deepEqual(events.map(textOf), ["ok", "ok"]);
    assert.match(warningsOf(events[0]), /refused an image.*Could not process image/s);
    assert.equal(warningsOf(events[1]), "");
    assert.equal(sent.length, 3, "one refusal in all");
    assert.deepEqual(
      blocksOf(sent[2]).map((block) => block["type"]),
      ["image", "text", "text"],
    );
  });
});

describe("a tool that a provider refuses", () => {
  const odd: ToolSpec = {
    type: "function",
    name: "mcp__notion__update",
    description: "Odd.",
    parameters: { oneOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }] },
  };
  const plain: ToolSpec = { type: "function", name: "exec_command", description: "Runs.", parameters: { type: "object", properties: {} } };
  const names = (body: Json | undefined): unknown[] =>
    listOf(body?.["tools"]).map((tool) => recordOf(tool)["name"] ?? recordOf(recordOf(tool)["function"])["name"]);

  it("is left out from then on, with a warning, and the others work", async () => {
    const request = { model: "claude-opus-5-5", tools: [plain, odd] };
    const { events, sent } = await talk("anthropic", anthropicRules, [request, request]);
    assert.deepEqual(events.map(textOf), ["ok", "ok"]);
    assert.match(warningsOf(events[0]), /refused the tool `mcp__notion__update`/);
    assert.deepEqual(sent.map(names), [["exec_command", "mcp__notion__update"], ["exec_command"], ["exec_command"]]);
  });

  it("is known by its name on the Responses wire", async () => {
    const request = { model: "gpt-5.5", tools: [{ ...odd, parameters: { type: "string" } }, plain] };
    const { events, sent } = await talk("openai", responsesRules, [request]);
    assert.equal(textOf(events[0] ?? []), "ok");
    assert.deepEqual(names(sent.at(-1)), ["exec_command"]);
  });
});

describe("calls of another provider in the history", () => {
  it("have ids of nine letters at Mistral, the same at every request", async () => {
    const request = { model: "devstral-medium-latest", input: foreignThread };
    const { events, sent } = await talk("mistral", [...chatRules, mistralIds], [request, request]);
    assert.deepEqual(events.map(textOf), ["ok", "ok"]);
    assert.equal(sent.length, 2, "nothing was refused");
    assert.deepEqual(sent[0]?.["messages"], sent[1]?.["messages"]);
  });

  for (const [name, template, refusals] of [
    ["Mistral", chatTemplate("Mistral Small 3.2"), 2],
    ["Llama", chatTemplate("Llama 3.x"), 1],
  ] as const)
    it(`pass a chat template of ${name} after ${refusals} refusals, and tools work as before`, async () => {
      const request = { model: "toolmodel", input: foreignThread };
      const { events, sent } = await talk("llamacpp", [...chatRules, template], [request, request]);
      assert.deepEqual(events.map(textOf), ["ok", "ok"]);
      assert.equal(sent.length, refusals + 2);
      assert.equal(listOf(sent.at(-1)?.["tools"]).length, 3, "tools are offered as tools");
      assert.equal(messagesOf(sent.at(-1)).filter((message) => message["role"] === "tool").length, 2);
      assert.equal(warningsOf(events[1]), "");
    });

  it("keep the text of their message when they are split", async () => {
    const message: ModelItem = { type: "message", role: "assistant", content: [{ type: "output_text", text: "looking" }] };
    const input = [userText("go"), message, call("a"), call("b"), output("a", "1"), output("b", "2")];
    const { sent } = await talk("llamacpp", [...chatRules, chatTemplate("Llama 3.x")], [{ model: "Llama-3.3-70B-Instruct", input }]);
    assert.equal(sent.length, 1, "known by its name");
    assert.deepEqual(
      messagesOf(sent[0]).map(({ role, content }) => [role, content]),
      [
        ["system", "You are a test."],
        ["user", "go"],
        ["assistant", "looking"],
        ["tool", "1"],
        ["assistant", null],
        ["tool", "2"],
      ],
    );
  });
});

describe("an organisation that OpenAI has not verified", () => {
  it("loses only summaries, with a warning: effort and earlier reasoning stay", async () => {
    const thought: ModelItem = { type: "reasoning", summary: [], encrypted_content: "gAAAA" };
    const request = { model: "gpt-5.5", effort: "high", summary: "auto", input: [userText("go"), thought, userText("on")] };
    const { events, sent } = await talk("openai", [...responsesRules, unverifiedOrganisation], [request, request]);
    assert.deepEqual(events.map(textOf), ["ok", "ok"]);
    assert.match(warningsOf(events[0]), /no summaries of this model's reasoning/);
    assert.equal(sent.length, 3);
    assert.deepEqual(sent[2]?.["reasoning"], { effort: "high" });
    assert.deepEqual(sent[2]?.["include"], ["reasoning.encrypted_content"]);
    assert.equal(listOf(sent[2]?.["input"]).length, 3);
  });

  it("is not asked for summaries unless they are requested", async () => {
    const { sent } = await talk("openai", [unverifiedOrganisation], [{ model: "gpt-5.5", effort: "high" }]);
    assert.equal(sent.length, 1);
  });
});

/** Input during a turn, an image from a tool, a broken call, an interrupted turn: everything that breaks templates. */
const busyThread: ModelItem[] = [
  ...foreignThread,
  userText("wait, not that one"),
  userText("and hurry"),
  { type: "function_call", call_id: "call_broken", name: "exec_command", arguments: '{"cmd": "ls' },
  { type: "function_call_output", call_id: "call_broken", output: "not valid JSON" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
  call("call_image"),
  {
    type: "function_call_output",
    call_id: "call_image",
    output: [{ type: "input_image", image_url: `data:image/png;base64,${png(10, 10)}` }],
  },
  call("call_stopped"),
  userText("never mind"),
];

describe("a busy thread and the chat templates of llama.cpp", () => {
  const textOnly: readonly string[] = ["Gemma 2"];
  for (const name of chatTemplateNames)
    it(`${name}: passes after a few refusals, then at once, and what was sent stays a prefix`, async () => {
      const request = { model: "toolmodel", input: busyThread, effort: "medium" };
      const next = { ...request, input: [...busyThread, call("call_next"), output("call_next"), userText("and now")] };
      const { events, sent } = await talk("llamacpp", [...chatRules, chatTemplate(name)], [request, request, next]);
      assert.deepEqual(events.map(textOf), ["ok", "ok", "ok"]);
      assert.ok(sent.length <= 6, `${sent.length} requests`);
      const [before, after] = sent.slice(-2).map(messagesOf);
      assert.deepEqual(after?.slice(0, before?.length), before);
      assert.equal(listOf(sent.at(-1)?.["tools"]).length, textOnly.includes(name) ? 0 : 3);
      for (const text of ["not that one", "hurry", "never mind", "You are a test."])
        assert.ok(JSON.stringify(sent.at(-1)).includes(text), text);
    });

  it("Mistral's own API gets the right form from the first request on", async () => {
    const request = { model: "mistral-large-latest", input: busyThread };
    const { events, sent } = await talk("mistral", [...chatRules, mistralIds, mistralOrder], [request]);
    assert.deepEqual([textOf(events[0] ?? []), sent.length], ["ok", 1]);
  });
});

describe("a history with every kind of item", () => {
  const everything: ModelItem[] = [
    ...foreignThread,
    { type: "custom_tool_call", call_id: "call:with/odd letters", name: "apply_patch", input: "*** Begin Patch" },
    { type: "custom_tool_call_output", call_id: "call:with/odd letters", output: [{ type: "input_text", text: "" }] },
    call("alone"),
  ];
  it("keeps the rules of each wire", async () => {
    for (const [id, rules, model] of [
      ["anthropic", anthropicRules, "claude-sonnet-4-5"],
      ["openrouter", chatRules, "anthropic/claude-opus-4.6"],
      ["mistral", [...chatRules, mistralIds], "mistral-large-latest"],
    ] as const) {
      const { events, sent } = await talk(id, rules, [
        { model, input: everything, effort: "high" },
        { model, input: everything, tools: [] },
      ]);
      assert.equal(textOf(events[0] ?? []), "ok", id);
      assert.ok(sent.length >= 1);
    }
  });
});
