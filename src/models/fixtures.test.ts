/** Streams as the providers document them, each parsed into events. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { checked, contractTools, itemsOf, joined, textOf } from "../../test/support/model-mocks/events.ts";
import type { ModelEvent, ModelItem } from "../core/ports/model-client.ts";
import { createSseReader } from "../lib/sse.ts";
import { createAnthropicReader } from "./anthropic-events.ts";
import { createChatReader } from "./chat-events.ts";
import { isSealed, unseal } from "./convert.ts";
import { createResponsesReader } from "./responses-events.ts";
import { flattenTools } from "./tools.ts";
import type { EventReader } from "./wire.ts";

const flat = flattenTools(contractTools);
const folder = new URL("../../test/support/model-mocks/fixtures/", import.meta.url);

function play(name: string, reader: EventReader): ModelEvent[] {
  const out: ModelEvent[] = [];
  let over = false;
  const events = createSseReader((data, event) => {
    if (!over) over = reader.read(data, event, out);
  });
  events.feed(readFileSync(new URL(name, folder)));
  if (!over) reader.end(out);
  return checked(out);
}
const chat = (name: string): ModelEvent[] => play(name, createChatReader(flat, false));
const usage = (events: readonly ModelEvent[]): unknown => {
  const last = events.at(-1);
  return last?.type === "completed" ? last.usage : assert.fail(JSON.stringify(last));
};
const calls = (events: readonly ModelEvent[]): ModelItem[] => itemsOf(events).filter((item) => item.type === "function_call");

describe("documented streams", () => {
  it("OpenAI Responses: reasoning, commentary and a call", () => {
    const events = play("responses-reasoning-tool.sse", createResponsesReader());
    const [reasoning, message, call] = itemsOf(events);
    assert.ok(reasoning?.type === "reasoning" && reasoning.encrypted_content === "gAAAAAB-whole");
    assert.equal(joined(events, "summaryDelta"), "**Looking around**");
    assert.ok(message?.type === "message" && message.phase === "commentary");
    assert.ok(call?.type === "function_call" && call.arguments === '{"cmd":"ls"}');
    assert.deepEqual(usage(events), {
      inputTokens: 291,
      cachedInputTokens: 128,
      outputTokens: 23,
      reasoningOutputTokens: 12,
      totalTokens: 314,
    });
  });

  it("Anthropic: thinking with a signature, redacted thinking, text and a call", () => {
    const events = play("anthropic-thinking-tool-use.sse", createAnthropicReader(flat));
    const [thinking, redacted, message, call] = itemsOf(events);
    assert.ok(thinking?.type === "reasoning" && redacted?.type === "reasoning");
    assert.deepEqual(unseal("anthropic", thinking.encrypted_content ?? undefined), {
      signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=",
    });
    assert.deepEqual(unseal("anthropic", redacted.encrypted_content ?? undefined), { redacted: "EmwKAhgBEgy3va3pzix" });
    assert.equal(message?.type, "message");
    assert.equal(textOf(events), "Okay, let me check.");
    assert.ok(call?.type === "function_call" && call.call_id === "toolu_01T1x1fJ34qAmk2tNTrN7Up6");
    assert.deepEqual(JSON.parse(call.arguments), { cmd: "curl wttr.in" });
    assert.deepEqual(usage(events), {
      inputTokens: 1484,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 12,
      outputTokens: 89,
      reasoningOutputTokens: 0,
      totalTokens: 1573,
    });
  });

  it("OpenAI Chat: parallel calls, usage in the last chunk", () => {
    const events = chat("chat-openai-parallel-tools.sse");
    assert.deepEqual(
      calls(events).map((call) => (call.type === "function_call" ? [call.call_id, call.arguments] : [])),
      [
        ["call_DdmO9pD3xa9XTPNJ32zg2hcA", '{"cmd":"ls"}'],
        ["call_ABwVTRm3xa9XTPNJ32zg2hcB", '{"cmd":"pwd"}'],
      ],
    );
    assert.deepEqual(usage(events), {
      inputTokens: 76,
      cachedInputTokens: 64,
      outputTokens: 32,
      reasoningOutputTokens: 0,
      totalTokens: 108,
    });
  });

  it("DeepSeek: reasoning_content, keep-alive comments, its cache count", () => {
    const events = chat("chat-deepseek-reasoner.sse");
    assert.equal(joined(events, "reasoningDelta"), "9.11 or 9.8? 9.8.");
    assert.equal(textOf(events), "9.8 is larger.");
    assert.deepEqual(usage(events), { inputTokens: 17, cachedInputTokens: 5, outputTokens: 9, reasoningOutputTokens: 6, totalTokens: 26 });
  });

  it("OpenRouter: reasoning_details joined and kept with their signature", () => {
    const events = chat("chat-openrouter-reasoning-details.sse");
    const [reasoning] = itemsOf(events);
    assert.ok(reasoning?.type === "reasoning");
    assert.equal(joined(events, "reasoningDelta"), "Let me see.");
    const details = unseal("chat", reasoning.encrypted_content ?? undefined)?.["details"];
    assert.deepEqual(details, [
      { type: "reasoning.text", text: "Let me see.", signature: "EsIE-signature", format: "anthropic-claude-v1", index: 0 },
    ]);
    assert.equal(textOf(events), "Here it is.");
  });

  it("Gemini: the thought signature of a call is kept", () => {
    const [call] = calls(chat("chat-gemini-signature.sse"));
    assert.ok(call?.type === "function_call" && isSealed(call.encrypted_content));
    assert.deepEqual(unseal("chat", call.encrypted_content ?? undefined), {
      extra_content: { google: { thought_signature: "CpEDAe-signature" } },
    });
  });

  it("Ollama: the reasoning field and a whole call in one chunk", () => {
    const events = chat("chat-ollama-reasoning.sse");
    assert.equal(joined(events, "reasoningDelta"), "User wants a listing.");
    const [call] = calls(events);
    assert.ok(call?.type === "function_call" && call.name === "exec_command" && call.arguments === '{"cmd":"ls"}');
  });

  it("reasoning between <think> tags, split anywhere", () => {
    const events = chat("chat-think-tags.sse");
    assert.equal(joined(events, "reasoningDelta"), "\nFirst, think.\n");
    assert.equal(textOf(events), "Then answer.");
  });

  it("Mistral: content as a list of parts", () => {
    const events = chat("chat-mistral-thinking.sse");
    assert.equal(joined(events, "reasoningDelta"), "Two and two");
    assert.equal(textOf(events), "It is four.");
  });
});
