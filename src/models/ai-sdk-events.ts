/** Parses the stream parts of an AI SDK language model (specification v2 to v4). */
import type { ModelEvent, ModelFailure, TokenUsage } from "../core/ports/model-client.ts";
import { seal } from "./convert.ts";
import { cutAnswer, cutOff } from "./failures.ts";
import { ItemWriter } from "./item-writer.ts";
import { countOf, isRecord, type Json, listOf, recordOf, stringOf } from "./json.ts";
import type { FlatTools } from "./tools.ts";

export interface AiSdkReader {
  /** True once the terminal event was added. */
  read(part: Json, out: ModelEvent[]): boolean;
  end(out: ModelEvent[]): void;
}

export function createAiSdkReader(flat: FlatTools, failureFrom: (error: unknown) => ModelFailure): AiSdkReader {
  const writer = new ItemWriter(flat);
  let responseId = "";
  let metadata: Json = {};

  function reason(part: Json, out: ModelEvent[]): void {
    if (part["type"] === "reasoning-start") {
      writer.closeTexts(out);
      metadata = {};
    }
    const found = part["providerMetadata"];
    if (isRecord(found)) {
      metadata = { ...metadata, ...found };
      const all = metadata;
      writer.sealReasoning(() => seal("ai-sdk", all), out);
    }
    writer.summarize(stringOf(part["delta"]) ?? "", out);
    if (part["type"] === "reasoning-end") writer.closeTexts(out);
  }

  /** The complete call follows its deltas; some providers send only the complete one. */
  function call(part: Json, out: ModelEvent[]): void {
    if (part["providerExecuted"] === true) return;
    const id = stringOf(part["toolCallId"]) ?? "";
    if (!writer.hasCall(id)) {
      writer.beginCall(id, { callId: id, name: stringOf(part["toolName"]) ?? "" }, out);
      const input = part["input"];
      writer.callInput(id, typeof input === "string" ? input : JSON.stringify(input ?? {}), out);
    }
    if (isRecord(part["providerMetadata"])) writer.sealCall(id, seal("ai-sdk", part["providerMetadata"]));
    writer.endCall(id, out);
  }

  function finish(part: Json, out: ModelEvent[]): boolean {
    const why = stringOf(part["finishReason"]) ?? stringOf(recordOf(part["finishReason"])["unified"]);
    const callIds = why === "length" ? writer.endTornCalls(out) : [];
    writer.closeAll(out);
    if (why === "content-filter") {
      out.push({
        type: "failed",
        failure: { kind: "badRequest", message: "Incomplete response returned, reason: content_filter", retry: false },
      });
      return true;
    }
    if (why === "error") {
      out.push({ type: "failed", failure: cutOff("the finish of the model's answer") });
      return true;
    }
    if (why === "length" && callIds.length === 0) out.push({ type: "warning", message: cutAnswer });
    const cut = why === "length" ? { cut: { callIds, maxOutputTokens: undefined } } : {};
    out.push({ type: "completed", responseId, usage: usageOf(recordOf(part["usage"])), ...cut });
    return true;
  }

  function read(part: Json, out: ModelEvent[]): boolean {
    const id = stringOf(part["id"]) ?? "";
    switch (part["type"]) {
      case "text-delta":
        writer.text(stringOf(part["delta"]) ?? "", out);
        return false;
      case "text-end":
        writer.closeTexts(out);
        return false;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        reason(part, out);
        return false;
      case "tool-input-start":
        if (part["providerExecuted"] !== true) writer.beginCall(id, { callId: id, name: stringOf(part["toolName"]) ?? "" }, out);
        return false;
      case "tool-input-delta":
        writer.callInput(id, stringOf(part["delta"]) ?? "", out);
        return false;
      case "tool-call":
        call(part, out);
        return false;
      case "stream-start":
        for (const warning of listOf(part["warnings"])) out.push({ type: "warning", message: warningText(recordOf(warning)) });
        return false;
      case "response-metadata":
        responseId = id;
        out.push({ type: "created", responseId });
        return false;
      case "error":
        out.push({ type: "failed", failure: failureFrom(part["error"]) });
        return true;
      case "finish":
        return finish(part, out);
      default:
        return false;
    }
  }
  return { read, end: (out) => void out.push({ type: "failed", failure: cutOff("the finish of the model's answer") }) };
}

const warningText = (warning: Json): string =>
  stringOf(warning["message"]) ??
  stringOf(warning["details"]) ??
  `The provider does not support ${String(warning["setting"] ?? warning["feature"] ?? "a setting")}.`;

function usageOf(usage: Json): TokenUsage {
  const input = usage["inputTokens"];
  const output = usage["outputTokens"];
  const inputTokens = countOf(isRecord(input) ? input["total"] : input);
  const outputTokens = countOf(isRecord(output) ? output["total"] : output);
  const written = countOf(isRecord(input) ? input["cacheWrite"] : usage["cacheCreationInputTokens"]);
  return {
    inputTokens,
    cachedInputTokens: countOf(isRecord(input) ? input["cacheRead"] : usage["cachedInputTokens"]),
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens,
    reasoningOutputTokens: countOf(isRecord(output) ? output["reasoning"] : usage["reasoningTokens"]),
    totalTokens: countOf(usage["totalTokens"]) || inputTokens + outputTokens,
  };
}
