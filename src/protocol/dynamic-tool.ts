/** Tools defined by the client. Called by core on behalf of the model. */
import { array, boolean, type Infer, literals, maybe, named, object, optional, parse, string, union, unknown } from "../lib/schema.ts";
import { request } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { DynamicToolCallOutputContentItem } from "./item.ts";
import { contentItems } from "./spellings.ts";

export const DynamicToolSpec = named("DynamicToolSpec", () =>
  union([
    object({
      type: literals("function"),
      description: string(),
      inputSchema: unknown(),
      name: string(),
      deferLoading: optional(boolean()),
    }),
    object({ type: literals("namespace"), description: string(), name: string(), tools: array(DynamicToolNamespaceTool()) }),
  ]),
);
export type DynamicToolSpec = Infer<typeof DynamicToolSpec>;

export const DynamicToolNamespaceTool = named("DynamicToolNamespaceTool", () =>
  object({ type: literals("function"), description: string(), inputSchema: unknown(), name: string(), deferLoading: optional(boolean()) }),
);
export type DynamicToolNamespaceTool = Infer<typeof DynamicToolNamespaceTool>;

export const DynamicToolCallParams = named("DynamicToolCallParams", () =>
  object({ arguments: unknown(), callId: string(), threadId: string(), tool: string(), turnId: string(), namespace: maybe(string()) }),
);
export type DynamicToolCallParams = Infer<typeof DynamicToolCallParams>;

export const DynamicToolCallResponse = named("DynamicToolCallResponse", () =>
  object({ contentItems: array(DynamicToolCallOutputContentItem()), success: boolean() }),
);
export type DynamicToolCallResponse = Infer<typeof DynamicToolCallResponse>;

const maxDynamicTools = 512;

/** Throws invalidRequest for too many tools, and for tools that cannot be offered to a model: names that providers reject, that occur twice or that are already in use. */
export function checkDynamicTools(specs: readonly DynamicToolSpec[]): void {
  const count = specs.reduce((sum, spec) => sum + (spec.type === "function" ? 1 : spec.tools.length), 0);
  if (count > maxDynamicTools) throw invalidRequest(`too many dynamic tools: ${count}; a thread may have at most ${maxDynamicTools}`);
  const tools = new Set<string>();
  const namespaces = new Set<string>();
  for (const spec of specs) {
    if (spec.type === "function") {
      checkFunction(spec, tools, "");
      if (spec.deferLoading === true) throw invalidRequest(`deferred dynamic tool must include a namespace: ${spec.name}`);
      continue;
    }
    checkName("dynamic tool namespace", spec.name, 64);
    if (namespaces.has(spec.name)) throw invalidRequest(`duplicate dynamic tool namespace: ${spec.name}`);
    namespaces.add(spec.name);
    if (spec.tools.length === 0) throw invalidRequest(`dynamic tool namespace must contain at least one tool: ${spec.name}`);
    const within = new Set<string>();
    for (const tool of spec.tools) checkFunction(tool, within, ` in namespace ${spec.name}`);
  }
}

function checkFunction({ name, inputSchema }: DynamicToolNamespaceTool, taken: Set<string>, where: string): void {
  checkName("dynamic tool name", name, 128);
  if (taken.has(name)) throw invalidRequest(`duplicate dynamic tool name${where}: ${name}`);
  taken.add(name);
  const isSchema =
    typeof inputSchema === "boolean" || (typeof inputSchema === "object" && inputSchema !== null && !Array.isArray(inputSchema));
  if (!isSchema) throw invalidRequest(`dynamic tool input schema is not supported for ${name}: it must be a JSON Schema object`);
  if (typeof inputSchema === "object" && inputSchema !== null && "type" in inputSchema && inputSchema.type === "null")
    throw invalidRequest(`dynamic tool input schema is not supported for ${name}: tool input schema must not be a singleton null type`);
}

function checkName(what: string, name: string, longest: number): void {
  if (name === "") throw invalidRequest(`${what} must not be empty`);
  if (name.trim() !== name) throw invalidRequest(`${what} has leading/trailing whitespace: ${name}`);
  if (!/^[\w-]+$/.test(name)) throw invalidRequest(`${what} must match ^[a-zA-Z0-9_-]+$ to match Responses API: ${name}`);
  if (name.length > longest) throw invalidRequest(`${what} must be at most ${longest} characters to match Responses API: ${name}`);
  if (name === "mcp" || name.startsWith("mcp__")) throw invalidRequest(`${what} is reserved: ${name}`);
}

/** A client's response to `item/tool/call` in any form in use: content items, one output text, or the plain text; undefined if unreadable. */
export function readDynamicToolAnswer(answer: unknown): DynamicToolCallResponse | undefined {
  if (typeof answer === "string") return { contentItems: [{ type: "inputText", text: answer }], success: true };
  const given = parse(DynamicToolAnswer, answer);
  if (given === undefined) return undefined;
  const content = given.contentItems ?? given.content_items ?? given.content ?? given.output;
  return parse(DynamicToolCallResponse, { contentItems: contentItems(content), success: given.success ?? true });
}

const DynamicToolAnswer = named("DynamicToolAnswer", () =>
  object({
    success: maybe(boolean()),
    contentItems: optional(unknown()),
    content_items: optional(unknown()),
    content: optional(unknown()),
    output: optional(unknown()),
  }),
);

export const dynamicToolServerRequests = {
  /** Calls a tool that the client defined with `thread/start`. */
  "item/tool/call": request({ params: DynamicToolCallParams, result: DynamicToolCallResponse }),
};
