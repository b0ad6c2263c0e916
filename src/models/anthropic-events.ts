/** Parses the events of the Anthropic Messages wire. */
import type { ModelEvent, TokenUsage } from "../core/ports/model-client.ts";
import { seal } from "./convert.ts";
import { cutAnswer, cutOff, failureFromEvent } from "./failures.ts";
import { HostedCalls } from "./hosted-calls.ts";
import { ItemWriter } from "./item-writer.ts";
import { countOf, isRecord, type Json, parseJson, recordOf, stringOf } from "./json.ts";
import type { FlatTools } from "./tools.ts";
import type { EventReader } from "./wire.ts";

/** `maxTokens`: the output limit of the request. */
export function createAnthropicReader(flat: FlatTools, maxTokens?: number): EventReader {
  const writer = new ItemWriter(flat);
  const hosted = new HostedCalls();
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
        writer.closeTexts(out); // each thinking block has its own signature
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
      case "server_tool_use":
        writer.closeTexts(out);
        hosted.begin(index, block, out);
        return;
      case "web_search_tool_result":
      case "web_fetch_tool_result":
        hosted.finish(block, out);
        return;
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
      case "input_json_delta": {
        const piece = stringOf(value["partial_json"]) ?? "";
        if (!hosted.input(index, piece)) writer.callInput(index, piece, out);
      }
    }
  }

  function complete(out: ModelEvent[]): void {
    const callIds = stop === "max_tokens" ? writer.endTornCalls(out) : [];
    writer.closeAll(out);
    hosted.closeAll(out);
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
      const isCut = stop === "max_tokens";
      if (isCut && callIds.length === 0) out.push({ type: "warning", message: cutAnswer });
      out.push({
        type: "completed",
        responseId,
        usage: usageOf(usage),
        ...(isCut ? { cut: { callIds, maxOutputTokens: maxTokens } } : {}),
        // tools that the provider runs itself may take longer than one answer
        ...(stop === "pause_turn" ? { goesOn: true } : {}),
      });
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
          // an incomplete call waits for the stop reason
          if (writer.hasCall(index)) {
            if (!writer.isTorn(index)) writer.endCall(index, out);
          } else if (!hosted.has(index)) writer.closeTexts(out);
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
          return false; // ping, and event types added later
      }
    },
    end(out) {
      out.push({ type: "failed", failure: cutOff("message_stop") });
    },
  };
}

/** input_tokens does not include tokens read from or written to the cache. */
function usageOf(usage: Json): TokenUsage {
  const cachedInputTokens = countOf(usage["cache_read_input_tokens"]);
  const written = countOf(usage["cache_creation_input_tokens"]);
  const inputTokens = countOf(usage["input_tokens"]) + cachedInputTokens + written;
  const outputTokens = countOf(usage["output_tokens"]);
  return {
    inputTokens,
    cachedInputTokens,
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens,
    reasoningOutputTokens: 0,
    totalTokens: inputTokens + outputTokens,
  };
}
