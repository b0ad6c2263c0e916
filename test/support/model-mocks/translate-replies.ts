/** Turns the events of a Responses stream into those of the chat and anthropic wires, one by one, so that pauses and breaks stay where they are. */
import { type Json, recordOf, stringOf } from "../../../src/models/json.ts";

export interface ReplyTranslator {
  /** The frames that one event becomes. */
  frames(event: Json): string[];
}

interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

function usageOf(event: Json): Usage {
  const usage = recordOf(recordOf(event["response"])["usage"]);
  const cached = Number(recordOf(usage["input_tokens_details"])["cached_tokens"] ?? 0);
  const reasoning = Number(recordOf(usage["output_tokens_details"])["reasoning_tokens"] ?? 0);
  return { input: Number(usage["input_tokens"] ?? 0), cached, output: Number(usage["output_tokens"] ?? 0), reasoning };
}

/** A call's arguments, as a wire that only has plain functions writes them. */
const argumentsOf = (item: Json): string =>
  item["type"] === "custom_tool_call" ? JSON.stringify({ input: item["input"] }) : (stringOf(item["arguments"]) ?? "{}");
const nameOf = (item: Json): string => (item["namespace"] === undefined ? `${item["name"]}` : `${item["namespace"]}__${item["name"]}`);
const isCall = (item: Json): boolean => item["type"] === "function_call" || item["type"] === "custom_tool_call";

export function chatTranslator(): ReplyTranslator {
  let calls = 0;
  const chunk = (choices: unknown[], extra: Json = {}): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-t", object: "chat.completion.chunk", choices, ...extra })}\n\n`;
  const delta = (fields: Json): string => chunk([{ index: 0, delta: fields, finish_reason: null }]);
  const end = (finish_reason: string): string => chunk([{ index: 0, delta: {}, finish_reason }]);
  return {
    frames(event) {
      const item = recordOf(event["item"]);
      switch (event["type"]) {
        case "response.created":
          return [delta({ role: "assistant", content: "" })];
        case "response.output_text.delta":
          return [delta({ content: event["delta"] })];
        case "response.reasoning_summary_text.delta":
          return [delta({ reasoning_details: [{ type: "reasoning.summary", summary: event["delta"], index: event["summary_index"] }] })];
        case "response.reasoning_text.delta":
          return [delta({ reasoning_content: event["delta"] })];
        case "response.output_item.done": {
          if (!isCall(item)) return [];
          const entry = {
            index: calls++,
            id: item["call_id"],
            type: "function",
            function: { name: nameOf(item), arguments: argumentsOf(item) },
          };
          return [delta({ tool_calls: [entry] })];
        }
        case "response.completed": {
          const { input, cached, output, reasoning } = usageOf(event);
          const usage = {
            prompt_tokens: input,
            completion_tokens: output,
            total_tokens: input + output,
            prompt_tokens_details: { cached_tokens: cached },
            completion_tokens_details: { reasoning_tokens: reasoning },
          };
          return [end(calls > 0 ? "tool_calls" : "stop"), chunk([], { usage }), "data: [DONE]\n\n"];
        }
        case "response.failed":
          return [`data: ${JSON.stringify({ error: recordOf(event["response"])["error"] })}\n\n`];
        case "response.incomplete":
          return [end("length"), "data: [DONE]\n\n"];
        default:
          return [];
      }
    },
  };
}

export function anthropicTranslator(): ReplyTranslator {
  let index = 0;
  let open: "text" | "thinking" | undefined;
  let calls = 0;
  const frame = (type: string, fields: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  function close(): string[] {
    if (open === undefined) return [];
    const sign =
      open === "thinking" ? [frame("content_block_delta", { index, delta: { type: "signature_delta", signature: "signed" } })] : [];
    open = undefined;
    return [...sign, frame("content_block_stop", { index: index++ })];
  }
  function write(kind: "text" | "thinking", text: unknown): string[] {
    const start = open === kind ? [] : [...close(), frame("content_block_start", { index, content_block: { type: kind, [kind]: "" } })];
    open = kind;
    return [...start, frame("content_block_delta", { index, delta: { type: `${kind}_delta`, [kind]: text } })];
  }
  function call(item: Json): string[] {
    calls++;
    const before = close();
    const start = frame("content_block_start", {
      index,
      content_block: { type: "tool_use", id: item["call_id"], name: nameOf(item), input: {} },
    });
    const input = frame("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: argumentsOf(item) } });
    return [...before, start, input, frame("content_block_stop", { index: index++ })];
  }
  return {
    frames(event) {
      switch (event["type"]) {
        case "response.created":
          return [
            frame("message_start", {
              message: { id: "msg_t", type: "message", role: "assistant", content: [], usage: { input_tokens: 0, output_tokens: 0 } },
            }),
          ];
        case "response.output_text.delta":
          return write("text", event["delta"]);
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          return write("thinking", event["delta"]);
        case "response.output_item.done":
          return isCall(recordOf(event["item"])) ? call(recordOf(event["item"])) : close();
        case "response.completed": {
          const { input, cached, output } = usageOf(event);
          const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output };
          const stop_reason = calls > 0 ? "tool_use" : "end_turn";
          return [...close(), frame("message_delta", { delta: { stop_reason }, usage }), frame("message_stop", {})];
        }
        case "response.failed":
          return [frame("error", { error: { type: "api_error", ...recordOf(recordOf(event["response"])["error"]) } })];
        case "response.incomplete":
          return [...close(), frame("message_delta", { delta: { stop_reason: "max_tokens" }, usage: {} }), frame("message_stop", {})];
        default:
          return [];
      }
    },
  };
}
