/** Tools for models without tool calls: described in the prompt, called by a tagged line of JSON, answered as text. */
import { isRecord, parseJson, stringOf } from "./json.ts";
import type { FlatTool } from "./tools.ts";

export const callTag = "tool_call";

export function toolsAsText(tools: readonly FlatTool[]): string {
  const list = tools.map((tool) => JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.parameters }));
  return [
    "# Tools",
    "",
    "You can use the tools below. To use one, write exactly this and then stop:",
    "",
    `<${callTag}>`,
    '{"name": "the tool\'s name", "arguments": {"…": "…"}}',
    `</${callTag}>`,
    "",
    "You will get the result in the next message. The tools, one a line, each with the JSON Schema of its arguments:",
    "",
    ...list,
  ].join("\n");
}

export function callAsText(call: { readonly name: string; readonly args: string }, callId: string): string {
  return `<${callTag}>\n{"id": ${JSON.stringify(callId)}, "name": ${JSON.stringify(call.name)}, "arguments": ${call.args}}\n</${callTag}>`;
}

export const resultAsText = (callId: string, text: string): string => `<tool_result id=${JSON.stringify(callId)}>\n${text}\n</tool_result>`;

/** undefined when the text between the tags is not a call. */
export function callFromText(text: string): { readonly name: string; readonly args: string } | undefined {
  const bare = text.trim().replace(/^```(?:json)?\s*|\s*```$/g, "");
  if (bare.startsWith("<function=")) return callFromTags(bare);
  const value = parseJson(bare);
  if (!isRecord(value)) return undefined;
  const name = stringOf(value["name"]) ?? stringOf(value["tool"]);
  const args = value["arguments"] ?? value["parameters"] ?? value["input"] ?? {};
  return name === undefined ? undefined : { name, args: typeof args === "string" ? args : JSON.stringify(args) };
}

/** The form of Qwen's coders: `<function=name>` with a `<parameter=…>` for each argument. */
function callFromTags(text: string): { readonly name: string; readonly args: string } | undefined {
  const [, name, body] = /^<function=([^>\s]+)>([\s\S]*?)(?:<\/function>\s*)?$/.exec(text) ?? [];
  if (name === undefined || body === undefined) return undefined;
  const args = [...body.matchAll(/<parameter=([^>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g)].map(([, key, value]) => [
    key,
    argumentOf(value ?? ""),
  ]);
  return { name, args: JSON.stringify(Object.fromEntries(args)) };
}

/** Numbers, lists and other values are written as JSON, strings as plain text. */
function argumentOf(text: string): unknown {
  const value = /^\s*[[{]|^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text) ? parseJson(text) : undefined;
  return value === undefined ? text : value;
}
