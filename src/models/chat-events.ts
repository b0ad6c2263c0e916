/** Parses the chunks of a Chat Completions stream, with the reasoning fields of the common servers. */
import type { ModelEvent, TokenUsage } from "../core/ports/model-client.ts";
import { randomUuid } from "../lib/random.ts";
import { seal } from "./convert.ts";
import { cutAnswer, cutOff, failureFromEvent } from "./failures.ts";
import { ItemWriter } from "./item-writer.ts";
import { countOf, isRecord, type Json, listOf, numberOf, parseJson, recordOf, stringOf } from "./json.ts";
import { createTagSplitter, type Emit } from "./tag-splitter.ts";
import { callFromText, callTag } from "./text-tools.ts";
import type { FlatTools } from "./tools.ts";
import type { EventReader } from "./wire.ts";

/** `textTools`: calls come as tagged text, because this model has no native ones. `maxTokens`: the output limit of the request. */
export function createChatReader(flat: FlatTools, textTools: boolean, maxTokens?: number): EventReader {
  const writer = new ItemWriter(flat);
  const think = createTagSplitter("think", true);
  // a server without a parser for its model leaves calls in the text
  const calls = flat.tools.length > 0 ? createTagSplitter(callTag, false) : undefined;
  const names = new Set(flat.tools.map((tool) => tool.name));
  let written = "";
  let isOver = false;
  let responseId: string | undefined;
  let usage: TokenUsage | undefined;
  let finish: string | undefined;
  let details: Json[] = [];

  function text(delta: string, out: ModelEvent[]): void {
    if (calls === undefined) writer.text(delta, out);
    else calls.feed(delta, (piece, inside, closed) => textCall(piece, inside, closed, out));
  }

  function textCall(piece: string, inside: boolean, closed: boolean, out: ModelEvent[]): void {
    if (inside) written += piece;
    else writer.text(piece, out);
    if (!closed) return;
    const call = callFromText(written);
    if (call !== undefined && (textTools || names.has(call.name))) wholeCall(call, out);
    else writer.text(textTools ? written : `<${callTag}>${written}${isOver ? "" : `</${callTag}>`}`, out);
    written = "";
  }

  function wholeCall(call: { readonly name: string; readonly args: string }, out: ModelEvent[]): void {
    const callId = `call_${randomUuid().replaceAll("-", "")}`;
    writer.beginCall(callId, { callId, name: call.name }, out);
    writer.callInput(callId, call.args, out);
    writer.endCall(callId, out);
  }

  /** The blank lines between the closing tag and the answer are not part of it. */
  let trims = false;
  const thought =
    (out: ModelEvent[]): Emit =>
    (piece, inside, closed) => {
      if (inside) writer.think(piece, out);
      trims ||= closed;
      const rest = inside ? "" : trims ? piece.trimStart() : piece;
      if (rest === "") return;
      trims = false;
      text(rest, out);
    };

  function content(value: unknown, out: ModelEvent[]): void {
    if (typeof value === "string") think.feed(value, thought(out));
    // Mistral's thinking models send lists of parts
    for (const part of listOf(value).filter(isRecord)) {
      if (part["type"] === "thinking")
        for (const inner of listOf(part["thinking"])) writer.think(stringOf(recordOf(inner)["text"]) ?? "", out);
      else text(stringOf(part["text"]) ?? "", out);
    }
  }

  function reasoning(delta: Json, out: ModelEvent[]): void {
    const list = listOf(delta["reasoning_details"]).filter(isRecord);
    if (list.length === 0) writer.think(stringOf(delta["reasoning_content"]) ?? stringOf(delta["reasoning"]) ?? "", out);
    if (list.length === 0) return;
    if (!writer.isReasoning) details = [];
    const all = details;
    for (const detail of list) {
      all.push(detail);
      if (detail["type"] === "reasoning.summary") writer.summarize(stringOf(detail["summary"]) ?? "", out, countOf(detail["index"]));
      else writer.think(stringOf(detail["text"]) ?? "", out);
    }
    writer.sealReasoning(() => seal("chat", { details: joined(all) }), out);
  }

  /** Wire index → the call currently using it; some servers use one index, or one id, for all their calls. */
  const open = new Map<number, { readonly key: string; readonly id: string }>();
  function toolCall(part: Json, at: number, out: ModelEvent[]): void {
    const index = numberOf(part["index"]) ?? at;
    const fn = recordOf(part["function"]);
    const id = stringOf(part["id"]) ?? "";
    const name = stringOf(fn["name"]) ?? "";
    const args = typeof fn["arguments"] === "string" ? fn["arguments"] : isRecord(fn["arguments"]) ? JSON.stringify(fn["arguments"]) : "";
    const before = open.get(index);
    const isOther = (): boolean => (id !== "" && id !== before?.id) || (args !== "" && writer.isWhole(before?.key ?? ""));
    let key = before?.key;
    if (key === undefined || (name !== "" && isOther())) {
      if (name === "") return;
      key = id === "" || writer.hasCall(id) ? `call_${randomUuid().replaceAll("-", "")}` : id;
      open.set(index, { key, id });
      writer.beginCall(key, { callId: key, name }, out);
    }
    if (isRecord(part["extra_content"])) writer.sealCall(key, seal("chat", { extra_content: part["extra_content"] }));
    writer.callInput(key, args, out);
  }

  function complete(out: ModelEvent[]): boolean {
    think.flush(thought(out));
    isOver = true;
    calls?.flush((piece, inside, closed) => textCall(piece, inside, closed, out));
    const isCut = finish === "length" || finish === "max_tokens";
    const callIds = isCut ? writer.endTornCalls(out) : [];
    writer.closeAll(out);
    if (finish === "content_filter")
      out.push({
        type: "failed",
        failure: { kind: "badRequest", message: "Incomplete response returned, reason: content_filter", retry: false },
      });
    else {
      if (isCut && callIds.length === 0) out.push({ type: "warning", message: cutAnswer });
      const cut = isCut ? { cut: { callIds, maxOutputTokens: maxTokens } } : {};
      out.push({ type: "completed", responseId: responseId ?? "", usage, ...cut });
    }
    return true;
  }

  return {
    read(data, _event, out) {
      if (data === "[DONE]") {
        if (finish !== undefined || writer.count > 0) return complete(out);
        out.push({ type: "failed", failure: cutOff("any output") });
        return true;
      }
      const chunk = parseJson(data);
      if (!isRecord(chunk)) return false;
      if (isRecord(chunk["error"]) || typeof chunk["error"] === "string" || chunk["object"] === "error") {
        out.push({ type: "failed", failure: failureFromEvent(data) });
        return true;
      }
      if (responseId === undefined) {
        responseId = stringOf(chunk["id"]) ?? "";
        out.push({ type: "created", responseId });
      }
      usage = usageOf(chunk["usage"] ?? recordOf(chunk["x_groq"])["usage"]) ?? usage;
      const choice = recordOf(listOf(chunk["choices"])[0]);
      const delta = recordOf(choice["delta"] ?? choice["message"]);
      reasoning(delta, out);
      content(delta["content"] ?? delta["refusal"], out);
      for (const [at, part] of listOf(delta["tool_calls"]).entries()) if (isRecord(part)) toolCall(part, at, out);
      finish = stringOf(choice["finish_reason"]) ?? finish;
      return false;
    },
    end(out) {
      // Some servers leave out [DONE]; a finish_reason is equivalent.
      if (finish !== undefined) complete(out);
      else out.push({ type: "failed", failure: cutOff("finish_reason") });
    },
  };
}

/** One detail arrives in several deltas; it is sent back as one. */
function joined(details: readonly Json[]): Json[] {
  const out: Record<string, unknown>[] = [];
  for (const detail of details) {
    const last = out.at(-1);
    const field = detail["type"] === "reasoning.summary" ? "summary" : "text";
    const same = last !== undefined && last["type"] === detail["type"] && last["index"] === detail["index"] && last["id"] === detail["id"];
    if (same && typeof last[field] === "string" && typeof detail[field] === "string") {
      last[field] += detail[field];
      if (detail["signature"] !== undefined) last["signature"] = detail["signature"];
    } else out.push({ ...detail });
  }
  return out;
}

function usageOf(value: unknown): TokenUsage | undefined {
  if (!isRecord(value)) return undefined;
  const inputTokens = countOf(value["prompt_tokens"]);
  const outputTokens = countOf(value["completion_tokens"]);
  const details = recordOf(value["prompt_tokens_details"]);
  const written = countOf(details["cache_write_tokens"] ?? value["cache_creation_input_tokens"]);
  return {
    inputTokens,
    cachedInputTokens: countOf(details["cached_tokens"] ?? value["prompt_cache_hit_tokens"]),
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens,
    reasoningOutputTokens: countOf(recordOf(value["completion_tokens_details"])["reasoning_tokens"]),
    totalTokens: countOf(value["total_tokens"]) || inputTokens + outputTokens,
  };
}
