/** Cache markers on the Chat Completions wire, for models whose provider caches only what is marked (Claude and Qwen behind a router). */
import { isRecord, type Json, listOf } from "./json.ts";

const mark = { cache_control: { type: "ephemeral" } };

/** Other servers cache automatically, or do not support the field. */
export function takesCacheMarks(model: string, provider: string | undefined): boolean {
  if (/claude/i.test(model)) return true;
  return /qwen/i.test(model) && (provider === "openrouter" || provider === "alibaba");
}

type Message = Record<string, unknown> & { readonly role: string };

/** Marks the system message, the last tool, and the ends of the last two messages that are not the model's: four, the maximum. */
export function withCacheMarks(messages: readonly Message[], tools: Json): Json {
  const others = messages.flatMap(({ role }, i) => (role === "user" || role === "tool" ? [i] : []));
  const marked = new Set([...messages.flatMap(({ role }, i) => (role === "system" ? [i] : [])).slice(0, 1), ...others.slice(-2)]);
  const list = listOf(tools["tools"]);
  return {
    messages: messages.map((message, i) => (marked.has(i) ? { ...message, content: markedContent(message["content"]) } : message)),
    ...tools,
    ...(list.length === 0 ? {} : { tools: list.map((tool, i) => (i === list.length - 1 && isRecord(tool) ? { ...tool, ...mark } : tool)) }),
  };
}

/** A text becomes a list of one part; the last of several parts is marked. Empty texts cannot be marked. */
function markedContent(content: unknown): unknown {
  if (typeof content === "string") return content === "" ? content : [{ type: "text", text: content, ...mark }];
  const parts = listOf(content);
  return parts.map((part, i) => (i === parts.length - 1 && isRecord(part) ? { ...part, ...mark } : part));
}
