/** Reads the events of the Anthropic Messages wire. */
import type { ModelEvent, TokenUsage } from "../core/ports/model-client.ts";
import { seal } from "./convert.ts";
import { cutOff, failureFromEvent } from "./failures.ts";
import { ItemWriter } from "./item-writer.ts";
import { countOf, isRecord, type Json, parseJson, recordOf, stringOf } from "./json.ts";
import type { FlatTools } from "./tools.ts";
import type { EventReader } from "./wire.ts";

export function createAnthropicReader(flat: FlatTools): EventReader {
  const writer = new ItemWriter(flat);
  const usage: Record<string, unknown> = {};
  let responseId = "";
  let stop: string | undefined;
  let signature = "";

  function begin(index: string, block: Json, out: ModelEvent[]): void {
    switch (block["type"]) {
      case "text":
        writer.text(stringOf(block["text"]) ?? "", out);
        return;
      case "thinking":
        writer.closeTexts(out); // each block of thoughts has its own signature
        signature = stringOf(block["signature"]) ?? "";
        writer.sealReasoning(() => seal("anthropic", { signature }), out);
        writer.summarize(stringOf(block["thinking"]) ?? "", out);
        return;
      case "redacted_thinking": {
        writer.closeTexts(out);
        const redacted = stringOf(block["data"]) ?? "";
        writer.sealReasoning(() => seal("anthropic", { redacted }), out);
        writer.closeTexts(out);
        return;
      }
      case "tool_use": {
        const input = recordOf(block["input"]);
        writer.beginCall(index, { callId: stringOf(block["id"]) ?? `call_${index}`, name: stringOf(block["name"]) ?? "" }, out);
        if (Object.keys(input).length > 0) writer.callInput(index, JSON.stringify(input), out);
      }
    }
  }

  function delta(index: string, value: Json, out: ModelEvent[]): void {
    switch (value["type"]) {
      case "text_delta":
        writer.text(stringOf(value["text"]) ?? "", out);
        return;
      case "thinking_delta":
        writer.summarize(stringOf(value["thinking"]) ?? "", out);
        return;
      case "signature_delta":
        signature += stringOf(value["signature"]) ?? "";
        return;
      case "input_json_delta":
        writer.callInput(index, stringOf(value["partial_json"]) ?? "", out);
    }
  }

  function complete(out: ModelEvent[]): void {
    if (stop === "max_tokens" && writer.hasTornCall()) {
      writer.dropCalls();
      writer.closeAll(out);
      out.push({
        type: "failed",
        failure: { kind: "other", message: "Incomplete response returned, reason: max_output_tokens (inside a tool call)", retry: false },
      });
      return;
    }
    writer.closeAll(out);
    if (stop === "refusal")
      out.push({
        type: "failed",
        failure: { kind: "badRequest", message: "The model declined to answer (stop_reason: refusal).", retry: false },
      });
    else if (stop === "model_context_window_exceeded")
      out.push({
        type: "failed",
        failure: { kind: "contextWindowExceeded", message: "The model's context window is full.", retry: false },
      });
    else {
      if (stop === "max_tokens") out.push({ type: "warning", message: "The model reached its output limit; the answer is cut off." });
      out.push({ type: "completed", responseId, usage: usageOf(usage) });
    }
  }

  return {
    read(data, _event, out) {
      const event = parseJson(data);
      if (!isRecord(event)) return false;
      const index = String(event["index"] ?? "");
      switch (event["type"]) {
        case "content_block_delta":
          delta(index, recordOf(event["delta"]), out);
          return false;
        case "content_block_start":
          begin(index, recordOf(event["content_block"]), out);
          return false;
        case "content_block_stop":
          if (writer.hasCall(index)) writer.endCall(index, out);
          else writer.closeTexts(out);
          return false;
        case "message_start": {
          const message = recordOf(event["message"]);
          responseId = stringOf(message["id"]) ?? "";
          Object.assign(usage, recordOf(message["usage"]));
          out.push({ type: "created", responseId });
          return false;
        }
        case "message_delta":
          stop = stringOf(recordOf(event["delta"])["stop_reason"]) ?? stop;
          Object.assign(usage, recordOf(event["usage"]));
          return false;
        case "message_stop":
          complete(out);
          return true;
        case "error":
          out.push({ type: "failed", failure: failureFromEvent(data) });
          return true;
        default:
          return false; // ping, and whatever comes later
      }
    },
    end(out) {
      out.push({ type: "failed", failure: cutOff("message_stop") });
    },
  };
}

/** What was read from and written to the cache is not in input_tokens. */
function usageOf(usage: Json): TokenUsage {
  const cachedInputTokens = countOf(usage["cache_read_input_tokens"]);
  const inputTokens = countOf(usage["input_tokens"]) + cachedInputTokens + countOf(usage["cache_creation_input_tokens"]);
  const outputTokens = countOf(usage["output_tokens"]);
  return { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens: 0, totalTokens: inputTokens + outputTokens };
}
