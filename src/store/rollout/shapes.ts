/**
 * Small checks for values of unknown shape. Rollouts have tens of thousands of lines, for which a schema that is not compiled yet is far
 * too slow.
 */
import type { ModelItem } from "../../core/ports/model-client.ts";
import type { ThreadItem } from "../../protocol/item.ts";

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
export const isString = (value: unknown): value is string => typeof value === "string";
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const stringsOf = (value: unknown): string[] => listOf(value).filter(isString);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
export const numberOrNull = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
export const oneOf = <const T extends string>(value: unknown, choices: readonly T[]): T | undefined => choices.find((c) => c === value);

/** Whether two values made of plain objects, lists and texts are equal to the last field. False for what is made of anything else. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((part, i) => isSame(part, other[i]));
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]));
}
function isPlain(value: unknown): value is Json {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const strings = (value: Json, ...keys: string[]): boolean => keys.every((key) => typeof value[key] === "string");
const lists = (value: Json, ...keys: string[]): boolean => keys.every((key) => Array.isArray(value[key]));
const each = (value: unknown, fits: (part: Json) => boolean): boolean =>
  Array.isArray(value) && value.every((part) => isObject(part) && fits(part));

const textParts = ["input_text", "output_text", "summary_text", "reasoning_text", "text"];
const isPart = (part: Json): boolean =>
  typeof part["type"] === "string" && (!textParts.includes(part["type"]) || typeof part["text"] === "string");
const isOutput = (value: unknown): boolean => typeof value === "string" || each(value, isPart);

/** Whether the value is an item that can be sent to the model again. Unknown kinds stay on disk and are skipped. */
export function isModelItem(value: unknown): value is ModelItem {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "message":
      return strings(value, "role") && each(value["content"], isPart);
    case "agent_message":
      return strings(value, "author", "recipient") && each(value["content"], isPart);
    case "reasoning":
      return each(value["summary"], isPart) && (value["content"] == null || each(value["content"], isPart));
    case "function_call":
      return strings(value, "name", "arguments", "call_id");
    case "custom_tool_call":
      return strings(value, "name", "input", "call_id");
    case "function_call_output":
      return isOutput(value["output"]);
    case "custom_tool_call_output":
      return strings(value, "call_id") && isOutput(value["output"]);
    case "local_shell_call":
      return isObject(value["action"]) && Array.isArray(value["action"]["command"]) && strings(value, "status");
    case "tool_search_call":
      return strings(value, "execution");
    case "tool_search_output":
      return strings(value, "execution", "status") && lists(value, "tools");
    case "additional_tools":
      return strings(value, "role") && lists(value, "tools");
    case "image_generation_call":
      return strings(value, "result", "status");
    case "compaction":
      return strings(value, "encrypted_content");
    case "configuration_update":
      return isObject(value["reasoning"]);
    case "web_search_call":
    case "context_compaction":
    case "compaction_trigger":
    case "other":
      return true;
    default:
      return false;
  }
}

const isInput = (part: Json): boolean => {
  switch (part["type"]) {
    case "text":
      return strings(part, "text");
    case "image":
      return typeof part["url"] === "string" || typeof part["fileId"] === "string";
    case "audio":
      return strings(part, "url");
    case "localImage":
    case "localAudio":
      return strings(part, "path");
    case "skill":
    case "mention":
      return strings(part, "name", "path");
    default:
      return false;
  }
};
const isChange = (part: Json): boolean => strings(part, "path", "diff") && isObject(part["kind"]);

/** Whether the value is an item that can be sent to clients. */
export function isThreadItem(value: unknown): value is ThreadItem {
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  switch (value["type"]) {
    case "userMessage":
      return each(value["content"], isInput);
    case "agentMessage":
    case "plan":
      return strings(value, "text");
    case "reasoning":
      return (value["summary"] === undefined || lists(value, "summary")) && (value["content"] === undefined || lists(value, "content"));
    case "commandExecution":
      return strings(value, "command", "cwd", "status") && lists(value, "commandActions");
    case "fileChange":
      return strings(value, "status") && each(value["changes"], isChange);
    case "mcpToolCall":
      return strings(value, "server", "tool", "status");
    case "dynamicToolCall":
      return strings(value, "tool", "status");
    case "collabAgentToolCall":
      return strings(value, "senderThreadId", "status", "tool") && lists(value, "receiverThreadIds") && isObject(value["agentsStates"]);
    case "subAgentActivity":
      return strings(value, "agentPath", "agentThreadId", "kind");
    case "functionCallOutput":
      return strings(value, "name") && isOutput(value["output"]);
    case "hookPrompt":
      return each(value["fragments"], (part) => strings(part, "hookRunId", "text"));
    case "webSearch":
      return strings(value, "query");
    case "imageView":
      return strings(value, "path");
    case "sleep":
      return typeof value["durationMs"] === "number";
    case "imageGeneration":
      return strings(value, "status") && (typeof value["result"] === "string" || typeof value["fileId"] === "string");
    case "enteredReviewMode":
    case "exitedReviewMode":
      return strings(value, "review");
    case "contextCompaction":
      return true;
    default:
      return false;
  }
}
