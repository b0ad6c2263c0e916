/** What the Anthropic wire sends: thinking kept across tool turns, cache markers, alternating messages. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collect, failureOf, itemsOf, modelRequest, textOf, userText } from "../../test/support/model-mocks/events.ts";
import { anthropicFrames } from "../../test/support/model-mocks/frames.ts";
import { type Answer, MockProvider, refuse, stream } from "../../test/support/model-mocks/server.ts";
import type { ModelItem, ModelRequest } from "../core/ports/model-client.ts";
import { isRecord, type Json, listOf, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createModelClients } from "./registry.ts";

async function ask(answers: readonly Answer[], changes: Partial<ModelRequest> = {}) {
  await using mock = new MockProvider(...answers);
  const env = { ANTHROPIC_API_KEY: "sk-ant-test", ANTHROPIC_BASE_URL: await mock.listen() };
  const client = createModelClients({ env }).clientFor(builtInProvider("anthropic", env) ?? assert.fail());
  const events = await collect(client, modelRequest({ model: "claude-sonnet-4-5", ...changes }));
  const body = recordOf(mock.requests.at(-1)?.body);
  const messages = listOf(body["messages"]).filter(isRecord);
  return { events, requests: mock.requests, body, messages };
}
const ok = stream(anthropicFrames({ text: "ok" }));
const blocks = (message: Json | undefined): Json[] => listOf(message?.["content"]).filter(isRecord);
const output = (call_id: string, text: string): ModelItem => ({ type: "function_call_output", call_id, output: text });

describe("an Anthropic request", () => {
  it("goes to /v1/messages with the key and the version", async () => {
    const { requests, body } = await ask([ok]);
    assert.equal(requests[0]?.path, "/v1/messages");
    assert.partialDeepStrictEqual(requests[0]?.headers, { "x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01" });
    assert.equal(requests[0]?.headers["authorization"], undefined);
    assert.partialDeepStrictEqual(body, { model: "claude-sonnet-4-5", max_tokens: 64_000, stream: true, tool_choice: { type: "auto" } });
  });

  it("marks the stable prefix and the end of the conversation for the cache, at most four times", async () => {
    const { body, messages } = await ask([ok], {
      input: [userText("one"), { type: "message", role: "assistant", content: [{ type: "output_text", text: "two" }] }, userText("three")],
    });
    const marked = (value: unknown): boolean => isRecord(value) && value["cache_control"] !== undefined;
    assert.deepEqual(listOf(body["system"]).map(marked), [true]);
    assert.deepEqual(listOf(body["tools"]).map(marked), [false, false, true]);
    assert.deepEqual(
      messages.map((message) => blocks(message).some(marked)),
      [true, false, true],
    );
    assert.ok(JSON.stringify(body).split("cache_control").length - 1 <= 4);
  });

  it("keeps thinking and its signature across tool turns", async () => {
    const first = await ask(
      [stream(anthropicFrames({ summary: "I must look.", calls: [{ id: "toolu_1", name: "exec_command", args: '{"cmd":"ls"}' }] }))],
      { effort: "medium" },
    );
    assert.deepEqual(first.body["thinking"], { type: "enabled", budget_tokens: 12_000 });
    const { messages, body } = await ask([ok], {
      effort: "medium",
      input: [userText("go"), ...itemsOf(first.events), output("toolu_1", "x.txt")],
    });
    assert.equal(recordOf(body["thinking"])["type"], "enabled");
    assert.deepEqual(
      messages.map((message) => [message["role"], ...blocks(message).map((block) => block["type"])]),
      [
        ["user", "text"],
        ["assistant", "thinking", "tool_use"],
        ["user", "tool_result"],
      ],
    );
    assert.partialDeepStrictEqual(blocks(messages[1])[0], { thinking: "I must look.", signature: "EqQB-signed" });
    assert.deepEqual(blocks(messages[1])[1]?.["input"], { cmd: "ls" });
  });

  it("disables thinking in a tool loop that began without it", async () => {
    const input: ModelItem[] = [
      userText("go"),
      { type: "function_call", call_id: "c:1", name: "exec_command", arguments: "{}" },
      output("c:1", "x"),
    ];
    const { body, messages } = await ask([ok], { effort: "high", input });
    assert.equal(body["thinking"], undefined);
    assert.equal(blocks(messages[1])[0]?.["id"], "c_1");
    assert.equal(blocks(messages[2])[0]?.["tool_use_id"], "c_1");
    const { body: next } = await ask([ok], { effort: "high", input: [...input, userText("and now?")] });
    assert.equal(next["thinking"], undefined, "results and a new text in one message: the loop is still open");
  });

  it("gives newer models adaptive thinking, within the effort", async () => {
    const { body } = await ask([ok], { model: "claude-opus-5-5", effort: "ultra", summary: "auto" });
    assert.deepEqual(body["thinking"], { type: "adaptive", display: "summarized" });
    assert.deepEqual(body["output_config"], { effort: "max" });
  });

  it("sends other vendors' models the effort, and drops what they do not support", async () => {
    const { body } = await ask([ok], { model: "kimi-next", effort: "high" });
    assert.deepEqual([body["thinking"], body["output_config"]], [undefined, undefined], "a known model without thinking");
    const { requests } = await ask([refuse(400, { error: { message: "output_config.effort: Extra inputs are not permitted" } }), ok], {
      model: "new-model",
      effort: "high",
    });
    assert.deepEqual(
      requests.map((request) => [request.body["thinking"], request.body["output_config"]]),
      [
        [{ type: "enabled", budget_tokens: 11_904 }, { effort: "high" }],
        [{ type: "enabled", budget_tokens: 11_904 }, undefined],
      ],
    );
  });

  it("drops what a server refuses: first the display of thinking, then thinking", async () => {
    const refusals = [
      refuse(400, { error: { message: "thinking.adaptive.display: Extra inputs are not permitted" } }),
      refuse(400, { error: { message: "adaptive thinking is not supported on this model" } }),
    ];
    const { events, requests } = await ask([...refusals, ok], { model: "claude-opus-5-5" });
    assert.equal(textOf(events), "ok");
    assert.deepEqual(
      requests.map((r) => r.body["thinking"]),
      [{ type: "adaptive", display: "summarized" }, { type: "adaptive" }, undefined],
    );
  });

  it("constrains the answer with a schema, or asks for it in the prompt", async () => {
    const outputSchema = { type: "object", properties: {} };
    assert.deepEqual((await ask([ok], { outputSchema })).body["output_config"], { format: { type: "json_schema", schema: outputSchema } });
    const { body } = await ask([ok], { outputSchema, model: "claude-3-5-haiku" });
    assert.equal(body["output_config"], undefined);
    assert.match(JSON.stringify(body["system"]), /JSON Schema/);
  });

  it("begins with the user and puts developer messages in their place", async () => {
    const input: ModelItem[] = [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "hello" }] },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "later rules" }] },
    ];
    const { body, messages } = await ask([ok], { input });
    assert.deepEqual(
      listOf(body["system"]).map((block) => recordOf(block)["text"]),
      ["You are a test.", "rules"],
    );
    assert.deepEqual(
      messages.map((message) => message["role"]),
      ["user", "assistant", "user"],
    );
    assert.match(JSON.stringify(messages[2]), /later rules/);
  });

  it("forbids parallel calls where they are not wanted", async () => {
    assert.deepEqual((await ask([ok], { parallelToolCalls: false })).body["tool_choice"], {
      type: "auto",
      disable_parallel_tool_use: true,
    });
  });
});

describe("an Anthropic stream", () => {
  const ending = (stop_reason: string): Answer =>
    stream(anthropicFrames({ text: "half" }).map((frame) => frame.replace('"end_turn"', JSON.stringify(stop_reason))));
  it("reports why it stopped", async () => {
    assert.equal(failureOf((await ask([ending("refusal")])).events).kind, "badRequest");
    assert.equal(failureOf((await ask([ending("model_context_window_exceeded")])).events).kind, "contextWindowExceeded");
    const { events } = await ask([ending("max_tokens")]);
    assert.deepEqual(
      events.slice(-2).map((event) => event.type),
      ["warning", "completed"],
    );
    assert.equal((await ask([ending("pause_turn")])).events.at(-1)?.type, "completed");
  });

  it("parses the API's errors", async () => {
    const error = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" });
    const tooLong = await ask([refuse(400, error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"))]);
    assert.equal(failureOf(tooLong.events).kind, "contextWindowExceeded");
    const poor = await ask([refuse(400, error("invalid_request_error", "Your credit balance is too low to access the Anthropic API."))]);
    assert.equal(failureOf(poor.events).kind, "usageLimitExceeded");
    const busy = await ask([refuse(429, error("rate_limit_error", "slow down"), { "retry-after": "3" })]);
    assert.deepEqual(failureOf(busy.events).retry, { afterMs: 3000 });
  });
});
