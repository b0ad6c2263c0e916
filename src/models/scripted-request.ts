/** The facts of a request that a scenario can check, and calls adapted to the tools that the request offers. */
import type { ModelItem, ModelRequest, ToolSpec } from "../core/ports/model-client.ts";
import { isRecord, type Json, listOf, recordOf } from "./json.ts";
import type { Expectation, Step } from "./scenario.ts";

export interface RequestFacts {
  readonly model: string;
  readonly instructions: string;
  /** The newest text of the user. */
  readonly userText: string;
  /** The newest tool output. */
  readonly output: string;
  readonly images: number;
  /** Turns completed before this one, as far as the history shows. */
  readonly earlierTurns: number;
  /** Items that a model wrote earlier, in this or an earlier server process. */
  readonly earlierItems: number;
  readonly inputLength: number;
  readonly tools: readonly OfferedTool[];
}

interface OfferedTool {
  readonly spec: ToolSpec;
  readonly name: string;
  readonly namespace: string | undefined;
}

export function describeRequest(request: ModelRequest): RequestFacts {
  const userMessages = request.input.filter((item) => item.type === "message" && item.role === "user" && !isContext(textOf(item)));
  const outputs = request.input.filter((item) => item.type === "function_call_output" || item.type === "custom_tool_call_output");
  return {
    model: request.model,
    instructions: request.instructions,
    userText: textOf(userMessages.at(-1)),
    output: textOf(outputs.at(-1)),
    images: request.input.reduce((n, item) => n + imagesIn(item), 0),
    earlierTurns: Math.max(0, userMessages.length - 1),
    earlierItems: request.input.filter((item) => item.type !== "message" || item.role === "assistant").length,
    inputLength: request.instructions.length + request.input.reduce((n, item) => n + textOf(item).length, 0),
    tools: request.tools.flatMap((spec): OfferedTool[] =>
      spec.type === "namespace"
        ? spec.tools.map((inner) => ({ spec: inner, name: nameOf(inner), namespace: spec.name }))
        : [{ spec, name: nameOf(spec), namespace: undefined }],
    ),
  };
}

const nameOf = (spec: ToolSpec): string => (spec.type === "web_search" || spec.type === "web_fetch" ? spec.type : spec.name);

/** Messages that the server wrote with the user role: context and instructions. */
/** The prompt of a goal's turn stands in for a message of the person's. */
const isContext = (text: string): boolean => /^\s*(?:<(?!codex_internal_context)[a-z_]+[ >]|# AGENTS\.md)/.test(text);

function textOf(item: ModelItem | undefined): string {
  if (item === undefined) return "";
  if (item.type === "function_call") return item.arguments;
  if (item.type === "custom_tool_call") return item.input;
  if (item.type === "function_call_output" || item.type === "custom_tool_call_output")
    return typeof item.output === "string" ? item.output : item.output.map((part) => ("text" in part ? part.text : "")).join("\n");
  return item.type === "message" ? item.content.map((part) => ("text" in part ? part.text : "")).join("\n") : "";
}

function imagesIn(item: ModelItem): number {
  if (item.type === "message") return item.content.filter((part) => part.type === "input_image").length;
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") return 0;
  return typeof item.output === "string" ? 0 : item.output.filter((part) => part.type === "input_image").length;
}

/** `{{user}}`, `{{output}}` and `{{model}}` in a scenario's text. */
export function fill(text: string, facts: RequestFacts): string {
  return text.replace(/\{\{\s*(user|output|model)\s*\}\}/g, (_whole, name: string) =>
    name === "user" ? facts.userText : name === "output" ? facts.output : facts.model,
  );
}

/** A message about the first expectation that the request does not meet. */
export function unmet(expect: Expectation, facts: RequestFacts): string | undefined {
  const texts = { user: facts.userText, output: facts.output, instructions: facts.instructions, model: facts.model };
  for (const key of ["user", "output", "instructions", "model"] as const) {
    const wanted = expect[key];
    if (wanted !== undefined && !wanted.test(texts[key]))
      return `${key} does not match ${String(wanted)}: ${JSON.stringify(texts[key].slice(0, 300))}`;
  }
  const names = facts.tools.map((tool) => tool.name);
  const missing = expect.tools?.find((tool) => !names.includes(tool));
  if (missing !== undefined) return `tool ${missing} is not offered; offered are ${names.join(", ")}`;
  if (expect.images !== undefined && expect.images !== facts.images) return `expected ${expect.images} images, got ${facts.images}`;
  return undefined;
}

export type ToolCallItem = Extract<ModelItem, { type: "function_call" | "custom_tool_call" }>;

/** The item of a call, using whichever tool of its kind is offered. */
export function toolCall(step: Extract<Step, { kind: "call" | "run" | "patch" }>, facts: RequestFacts, fallbackId: string): ToolCallItem {
  const call_id = step.id ?? fallbackId;
  if (step.kind === "run") return shellCall(fill(step.command, facts), step.options, facts, call_id);
  if (step.kind === "patch") return patchCall(fill(step.patch, facts), facts, call_id);
  const offered = facts.tools.find((t) => t.name === step.tool && (step.namespace === undefined || t.namespace === step.namespace));
  const namespace = step.namespace ?? offered?.namespace;
  const head = { call_id, name: step.tool, ...(namespace === undefined ? {} : { namespace }) };
  const text = typeof step.input === "string" ? fill(step.input, facts) : undefined;
  if (offered?.spec.type === "custom") return { type: "custom_tool_call", ...head, input: text ?? JSON.stringify(step.input) };
  return { type: "function_call", ...head, arguments: text ?? JSON.stringify(filled(step.input, facts)) };
}

function shellCall(command: string, options: Json, facts: RequestFacts, call_id: string): ToolCallItem {
  const has = (name: string): boolean => facts.tools.some((tool) => tool.name === name);
  const [name, args] = has("exec_command")
    ? ["exec_command", { cmd: command }]
    : has("shell_command")
      ? ["shell_command", { command }]
      : ["shell", { command: ["bash", "-lc", command] }];
  return { type: "function_call", call_id, name, arguments: JSON.stringify({ ...args, ...options }) };
}

function patchCall(patch: string, facts: RequestFacts, call_id: string): ToolCallItem {
  const tool = facts.tools.find((t) => t.name === "apply_patch");
  if (tool?.spec.type === "custom") return { type: "custom_tool_call", call_id, name: "apply_patch", input: patch };
  if (tool !== undefined) return { type: "function_call", call_id, name: "apply_patch", arguments: JSON.stringify({ input: patch }) };
  return shellCall(`apply_patch <<'EOF'\n${patch}\nEOF\n`, {}, facts, call_id);
}

function filled(value: unknown, facts: RequestFacts): unknown {
  if (typeof value === "string") return fill(value, facts);
  if (Array.isArray(value)) return value.map((v) => filled(v, facts));
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, filled(v, facts)])) : value;
}

/** The simplest value that a JSON Schema allows, for clients that request structured answers (titles) in the tour. */
export function sampleFromSchema(schema: unknown, depth = 0): unknown {
  const record = recordOf(schema);
  const choice = listOf(record["enum"])[0] ?? record["const"];
  if (choice !== undefined) return choice;
  const first = listOf(record["anyOf"] ?? record["oneOf"])[0];
  if (first !== undefined) return sampleFromSchema(first, depth + 1);
  const type = Array.isArray(record["type"]) ? record["type"][0] : record["type"];
  if (depth > 12) return null;
  switch (type) {
    case "object": {
      const properties = Object.entries(recordOf(record["properties"]));
      return Object.fromEntries(properties.map(([key, inner]) => [key, sampleFromSchema(inner, depth + 1)]));
    }
    case "array":
      return [];
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "Offline tour";
  }
}
