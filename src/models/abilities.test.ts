/** Abilities of some providers: caches that need markers, hosted tools, PDFs, output limits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collect, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { anthropicFrames, chatFrames, responsesFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import { anthropicRules, ruled } from "../../test/support/model-mocks/vendor-rules.ts";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import { createModelCatalog } from "./catalog.ts";
import { isRecord, type Json, listOf, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

const provider = (id: string): ProviderConfig => builtInProvider(id, {}) ?? assert.fail(id);
const answers: Readonly<Record<string, Answer>> = {
  anthropic: ruled(anthropicRules, stream(anthropicFrames({ text: "ok" }))),
  chat: stream(chatFrames({ text: "ok" })),
  responses: stream(responsesFrames({ text: "ok" })),
};

async function ask(id: string, request: Partial<ModelRequest>, more: { answer?: Answer; changes?: Partial<ProviderConfig> } = {}) {
  const of = provider(id);
  await using mock = new MockProvider(more.answer ?? answers[of.wireApi] ?? assert.fail());
  const client = createModelClients({ env: { KEY: "sk-test-key" } }).clientFor({
    ...of,
    baseUrl: `${await mock.listen()}/v1`,
    envKey: "KEY",
    ...more.changes,
  });
  const events = await collect(client, modelRequest(request));
  return { events, body: recordOf(mock.requests.at(-1)?.body), headers: mock.requests.at(-1)?.headers ?? {} };
}
const marks = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1;
const output = (id: string, text: string): ModelItem => ({ type: "function_call_output", call_id: id, output: text });
const call = (id: string): ModelItem => ({ type: "function_call", call_id: id, name: "exec_command", arguments: "{}" });
const thread = [
  userText("one"),
  call("a"),
  output("a", "Exit code: 2\nOutput:\nno"),
  userText("two"),
  call("b"),
  output("b", "Exit code: 0\nOutput:\nyes"),
];

describe("Claude behind a router", () => {
  it("gets cache markers on the system message, the last tool and the last two messages", async () => {
    const { body } = await ask("openrouter", { model: "anthropic/claude-opus-4.6", input: thread });
    const messages = listOf(body["messages"]).filter(isRecord);
    assert.deepEqual(
      messages.filter((message) => marks(message) > 0).map((message) => message["role"]),
      ["system", "user", "tool"],
    );
    assert.deepEqual(
      listOf(body["tools"]).map((tool) => marks(tool)),
      [0, 0, 1],
    );
    assert.equal(marks(body), 4);
  });
  it("counts what was written to the cache", async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 105,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    };
    const frames = [
      `data: ${JSON.stringify({ id: "c", choices: [{ delta: { content: "ok" }, finish_reason: "stop" }], usage })}\n\n`,
      "data: [DONE]\n\n",
    ];
    const { events } = await ask("openrouter", { model: "anthropic/claude-opus-4.6" }, { answer: stream(frames) });
    const last = events.at(-1);
    assert.ok(last?.type === "completed");
    assert.partialDeepStrictEqual(last.usage, { inputTokens: 100, cachedInputTokens: 60, cacheWriteInputTokens: 30 });
  });
  it("is not marked for other models, nor for a server that refuses the field", async () => {
    assert.equal(marks((await ask("openrouter", { model: "z-ai/glm-5.3" })).body), 0);
    assert.equal(marks((await ask("vllm", { model: "qwen3-32b" })).body), 0);
    assert.ok(marks((await ask("openrouter", { model: "qwen/qwen3.8-max-0902" })).body) > 0);
  });
});

describe("the longest answer", () => {
  it("is requested from the catalogue's value, under the provider's field name", async () => {
    assert.equal(
      (await ask("openrouter", { model: "z-ai/glm-5.3" })).body["max_tokens"],
      createModelCatalog().find("z-ai/glm-5.3", provider("openrouter")).maxOutputTokens,
    );
    assert.equal((await ask("groq", { model: "openai/gpt-oss-120b" })).body["max_tokens"], undefined);
    assert.ok(Number((await ask("groq", { model: "openai/gpt-oss-120b" })).body["max_completion_tokens"]) > 30_000);
  });
  it("leaves room for the prompt in the window", async () => {
    const long = userText("x".repeat(3 * 28_000));
    const { body } = await ask("vllm", { model: "qwen3-32b", input: [long] });
    assert.ok(Number(body["max_tokens"]) < 4800 && Number(body["max_tokens"]) >= 2048, String(body["max_tokens"]));
    const { body: claude } = await ask("anthropic", {
      model: "claude-haiku-4-5",
      input: [userText("x".repeat(3 * 180_000))],
      effort: "high",
    });
    assert.equal(recordOf(claude["thinking"])["budget_tokens"], 24_000, "thoughts keep their budget, for the cache's sake");
    assert.ok(Number(claude["max_tokens"]) > 24_000 && Number(claude["max_tokens"]) < 30_000, String(claude["max_tokens"]));
  });
  it("is the user's own where extra_body sets it", async () => {
    const { body } = await ask("vllm", {}, { changes: { options: { extra_body: { max_tokens: 77 } } } });
    assert.equal(body["max_tokens"], 77);
  });
});

describe("an answer that is cut inside a call", () => {
  const patch = { id: "t1", name: "exec_command", args: '{"cmd":"cat <<EOF' };
  it("names the call on the Anthropic wire", async () => {
    const frames = anthropicFrames({ text: "I write it.", calls: [patch] }).map((frame) =>
      frame.replace('"tool_use","stop_sequence"', '"max_tokens","stop_sequence"'),
    );
    const { events } = await ask("anthropic", { model: "claude-opus-5-5" }, { answer: stream(frames) });
    assert.partialDeepStrictEqual(events.at(-1), { type: "completed", cut: { callIds: ["t1"], maxOutputTokens: 128_000 } });
    assert.equal(textOf(events), "I write it.");
    assert.partialDeepStrictEqual(itemsOf(events).at(-1), { type: "function_call", call_id: "t1", arguments: "{}" });
  });
  it("names the call on the Responses wire", async () => {
    const frames = responsesFrames({ text: "I write it.", calls: [patch] }).filter(
      (frame) => !/output_item\.done.*function_call/s.test(frame),
    );
    const end = { type: "response.incomplete", response: { id: "r", incomplete_details: { reason: "max_output_tokens" } } };
    const { events } = await ask(
      "openai",
      { model: "gpt-5.5" },
      { answer: stream([...frames.slice(0, -1), `data: ${JSON.stringify(end)}\n\n`]) },
    );
    assert.partialDeepStrictEqual(events.at(-1), { type: "completed", cut: { callIds: ["t1"] } });
    assert.partialDeepStrictEqual(itemsOf(events).at(-1), { type: "function_call", arguments: "{}" });
  });
});

describe("GPT", () => {
  it("is asked for short answers, and the newest models for the reasoning of all turns", async () => {
    const { body } = await ask("openai", { model: "gpt-6.1-sol", effort: "low" });
    assert.deepEqual(body["text"], { verbosity: "low" });
    assert.deepEqual(body["reasoning"], { effort: "low", context: "all_turns" });
    const { body: older } = await ask("openai", { model: "gpt-5.5", effort: "low", verbosity: "high" });
    assert.deepEqual(older["text"], { verbosity: "high" });
    assert.deepEqual(older["reasoning"], { effort: "low" });
    assert.equal((await ask("openai", { model: "gpt-5.1-codex" })).body["text"], undefined);
  });
});

describe("Claude's thinking", () => {
  it("continues between tools where it has a budget, together with the user's own settings", async () => {
    const changes = { httpHeaders: { "Anthropic-Beta": "mine-2026" } };
    const { headers } = await ask("anthropic", { model: "claude-sonnet-4-5", effort: "high" }, { changes });
    assert.equal(headers["anthropic-beta"], "interleaved-thinking-2025-05-14,mine-2026");
    assert.equal((await ask("anthropic", { model: "claude-opus-5-5", effort: "high" })).headers["anthropic-beta"], undefined);
  });
});

describe("a tool's result", () => {
  it("is marked as an error at Anthropic when the command or the call failed", async () => {
    const input = [
      ...thread,
      call("c"),
      output("c", "failed to parse function arguments: cmd is missing"),
      call("d"),
      output("d", "Error handling is in main.ts"),
    ];
    const { body } = await ask("anthropic", { model: "claude-opus-5-5", input });
    const results = listOf(body["messages"])
      .flatMap((message) => listOf(recordOf(message)["content"]).filter(isRecord))
      .filter((block) => block["type"] === "tool_result");
    assert.deepEqual(
      results.map((block) => block["is_error"] ?? false),
      [true, false, true, false],
    );
  });
});

describe("PDFs", () => {
  const pdf = `data:application/pdf;base64,${Buffer.from("%PDF-1.7").toString("base64")}`;
  const input: ModelItem[] = [
    userText("read"),
    call("a"),
    {
      type: "function_call_output",
      call_id: "a",
      output: [
        { type: "input_text", text: "a.pdf" },
        { type: "input_image", image_url: pdf },
      ],
    },
  ];
  it("are documents, files or parts, depending on the wire", async () => {
    const { body: claude } = await ask("anthropic", { model: "claude-opus-5-5", input });
    assert.match(JSON.stringify(claude["messages"]), /"type":"document","source":\{"type":"base64","media_type":"application\/pdf"/);
    const { body: gpt } = await ask("openai", { model: "gpt-5.5", input });
    assert.match(JSON.stringify(gpt["input"]), /"type":"input_file","filename":"document.pdf","file_data":"data:application\/pdf/);
    const { body: routed } = await ask("openrouter", { model: "google/gemini-3-pro-preview", input });
    assert.match(JSON.stringify(routed["messages"]), /"type":"file","file":\{"filename"/);
  });
  it("are replaced with a note where the model or the wire accepts none", async () => {
    for (const [id, model] of [
      ["openrouter", "z-ai/glm-5.3"],
      ["vllm", "qwen3-32b"],
      ["openai", "gpt-5-nano"],
    ] as const) {
      const { body, events } = await ask(id, { model, input });
      assert.match(JSON.stringify(body), /A PDF was here/, id);
      assert.doesNotMatch(JSON.stringify(body), /application\/pdf/, id);
      assert.ok(events.some((event) => event.type === "warning" && /PDF/.test(event.message)));
    }
  });
});

describe("tools that Anthropic runs", () => {
  const tools: ModelRequest["tools"] = [
    { type: "web_search", options: { filters: { allowed_domains: ["example.com"] }, external_web_access: true } },
    { type: "web_fetch" },
  ];
  const use = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
  const found = {
    type: "web_search_tool_result",
    tool_use_id: "srv_1",
    content: [{ type: "web_search_result", url: "https://example.com", encrypted_content: "E" }],
  };
  const searched = [
    `data: ${JSON.stringify({ type: "message_start", message: { id: "m", usage: {} } })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_start", index: 0, content_block: use })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":"weather"}' } })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_stop", index: 0 })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_start", index: 1, content_block: found })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_stop", index: 1 })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_start", index: 2, content_block: { type: "text", text: "" } })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "Sunny." } })}\n\n`,
    `data: ${JSON.stringify({ type: "content_block_stop", index: 2 })}\n\n`,
    `data: ${JSON.stringify({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} })}\n\n`,
    `data: ${JSON.stringify({ type: "message_stop" })}\n\n`,
  ];

  it("are offered only there, and only to models that have them", () => {
    const catalog = createModelCatalog();
    assert.deepEqual(catalog.find("claude-opus-5-5", provider("anthropic")).hosted, { webSearch: true, webFetch: true });
    assert.deepEqual(catalog.find("gpt-5.5", provider("openai")).hosted, { webSearch: true, webFetch: false });
    assert.deepEqual(catalog.find("anthropic/claude-opus-4.6", provider("openrouter")).hosted, { webSearch: false, webFetch: false });
    const proxy = { ...provider("anthropic"), baseUrl: "https://llm.example.com/v1" };
    assert.equal(catalog.find("claude-opus-5-5", proxy).hosted.webSearch, false);
    assert.equal(catalog.find("claude-opus-5-5", { ...proxy, options: { hosted_tools: true } }).hosted.webSearch, true);
  });

  it("are requested in its format", async () => {
    const { body, headers } = await ask("anthropic", { model: "claude-opus-5-5", tools });
    assert.partialDeepStrictEqual(body["tools"], [
      { type: "web_search_20250305", name: "web_search", allowed_domains: ["example.com"] },
      { type: "web_fetch_20250910", name: "web_fetch" },
    ]);
    assert.match(String(headers["anthropic-beta"]), /web-fetch-2025-09-10/);
  });

  it("are items for people, and are sent back unchanged", async () => {
    const { events } = await ask("anthropic", { model: "claude-opus-5-5", tools }, { answer: stream(searched) });
    const [search, message] = itemsOf(events);
    assert.partialDeepStrictEqual(search, { type: "web_search_call", status: "completed", action: { type: "search", query: "weather" } });
    assert.equal(message?.type, "message");
    const input = [userText("weather?"), ...itemsOf(events), userText("thanks")];
    const { body } = await ask("anthropic", { model: "claude-opus-5-5", tools, input });
    const blocks = listOf(recordOf(listOf(body["messages"])[1])["content"]);
    assert.deepEqual(blocks.slice(0, 2), [{ ...use, input: { query: "weather" } }, found]);
    const { body: elsewhere, events: otherEvents } = await ask("openai", { model: "gpt-5.5", input });
    assert.equal(listOf(elsewhere["input"]).length, 3, "another provider has no use for them");
    assert.ok(otherEvents.every((event) => event.type !== "warning"));
  });

  it("may take longer than one answer, which is then continued", async () => {
    const paused = [...searched.slice(0, 4), ...searched.slice(-2)].map((frame) => frame.replace("end_turn", "pause_turn"));
    const { events } = await ask("anthropic", { model: "claude-opus-5-5", tools }, { answer: stream(paused) });
    assert.partialDeepStrictEqual(events.at(-1), { type: "completed", goesOn: true });
    const { body } = await ask("anthropic", { model: "claude-opus-5-5", tools, input: [userText("w?"), ...itemsOf(events)] });
    assert.partialDeepStrictEqual(recordOf(listOf(body["messages"])[1])["content"], [{ type: "server_tool_use" }]);
    const { body: left } = await ask("anthropic", {
      model: "claude-opus-5-5",
      tools,
      input: [userText("w?"), ...itemsOf(events), userText("never mind")],
    });
    assert.equal(listOf(left["messages"]).length, 1, "a search without its result is left out once somebody speaks");
  });
});

describe("compaction by the provider", () => {
  it("is offered at OpenAI, requested by an item, and answered by one that is sent back unchanged", async () => {
    const catalog = createModelCatalog();
    assert.equal(catalog.find("gpt-5.5", provider("openai")).compactsRemotely, true);
    assert.equal(catalog.find("z-ai/glm-5.3", provider("openrouter")).compactsRemotely, false);
    const item = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAA" };
    const frames = [
      `data: ${JSON.stringify({ type: "response.output_item.done", output_index: 0, item })}\n\n`,
      `data: ${JSON.stringify({ type: "response.completed", response: { id: "r" } })}\n\n`,
    ];
    const compacted = await ask(
      "openai",
      { model: "gpt-5.5", input: [userText("go"), { type: "compaction_trigger" }] },
      { answer: stream(frames) },
    );
    assert.deepEqual(listOf(compacted.body["input"]).at(-1), { type: "compaction_trigger" });
    const [made] = itemsOf(compacted.events);
    assert.equal(made?.type, "compaction");
    const changes = { options: { hosted_tools: true } };
    const { body } = await ask("openai", { model: "gpt-5.5", input: [made ?? assert.fail(), userText("on")] }, { changes });
    assert.deepEqual(listOf(body["input"])[0], { type: "compaction", encrypted_content: "gAAAA" });
  });

  it("leaves a note where another server or account cannot read it", async () => {
    const input: ModelItem[] = [{ type: "compaction", encrypted_content: "gAAAA" }, userText("on")];
    for (const id of ["vllm", "anthropic", "openrouter"]) {
      const { body, events } = await ask(id, { model: "some-model", input });
      assert.match(JSON.stringify(body), /a summary of the earlier conversation that cannot be read/, id);
      assert.ok(!JSON.stringify(body).includes("gAAAA") && textOf(events) === "ok", id);
    }
    const refuses: Answer = (response, request) =>
      JSON.stringify(request.body).includes("gAAAA")
        ? refuse(400, { error: { code: "invalid_encrypted_content", message: "The encrypted content could not be verified." } })(
            response,
            request,
          )
        : stream(responsesFrames({ text: "ok" }))(response, request);
    const { events } = await ask("openai", { model: "gpt-5.5", input }, { answer: refuses, changes: { options: { hosted_tools: true } } });
    assert.equal(textOf(events), "ok");
  });
});

describe("tool_choice none", () => {
  it("keeps the tools of the cached prefix on every wire", async () => {
    const wanted = { toolChoice: "none" as const };
    const { body: claude } = await ask("anthropic", { model: "claude-opus-5-5", ...wanted });
    assert.deepEqual([claude["tool_choice"], listOf(claude["tools"]).length], [{ type: "none" }, 3]);
    for (const id of ["openai", "openrouter"]) {
      const { body } = await ask(id, wanted);
      assert.deepEqual([body["tool_choice"], listOf(body["tools"]).length], ["none", 3], id);
    }
  });
});

describe("unexpected values", () => {
  it("do not confuse the reader", async () => {
    const odd: Json = { type: "message_delta", delta: {}, context_management: { applied_edits: [null, "x", { cleared_tool_uses: -1 }] } };
    const frames = anthropicFrames({ text: "ok" });
    const { events } = await ask(
      "anthropic",
      {},
      { answer: stream([...frames.slice(0, -2), `data: ${JSON.stringify(odd)}\n\n`, ...frames.slice(-2)]) },
    );
    assert.equal(textOf(events), "ok");
  });
});
