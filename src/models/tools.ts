/** Tools for wires that support only plain functions: namespaces flattened, free-form tools as functions with one text, and both mapped back. */
import { createHash } from "node:crypto";
import type { ModelItem, ToolSpec } from "../core/ports/model-client.ts";
import type { Call } from "./convert.ts";
import { isRecord, type Json, parseJson } from "./json.ts";

export interface FlatTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

export type HostedTool = Extract<ToolSpec, { type: "web_search" | "web_fetch" }>;

export interface FlatTools {
  readonly tools: readonly FlatTool[];
  /** Their names in the request, in the same order. */
  readonly requestNames: readonly string[];
  /** Hosted tools, for wires that support them. */
  readonly hosted: readonly HostedTool[];
  /** The name and JSON arguments under which an earlier call is shown to this wire. */
  callOut(call: Call): { readonly name: string; readonly args: string };
  /** The item for a call from this wire. `sealed` is kept to be sent back. */
  callIn(call: { readonly callId: string; readonly name: string; readonly args: string; readonly sealed?: string }): ModelItem;
  /** The item as it begins, without input. */
  callBegin(callId: string, name: string): ModelItem;
}

interface Origin {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly custom: boolean;
}

const inputSchema = (description: string): Json => ({
  type: "object",
  properties: { input: { type: "string", description } },
  required: ["input"],
  additionalProperties: false,
});

/** `maxName`: the longest tool name that the wire accepts. */
export function flattenTools(specs: readonly ToolSpec[], maxName = 64): FlatTools {
  const origins = new Map<string, Origin>();
  const tools: FlatTool[] = [];
  const requestNames: string[] = [];
  const hosted: HostedTool[] = [];

  function add(spec: ToolSpec, namespace: string | undefined): void {
    switch (spec.type) {
      case "namespace":
        for (const inner of spec.tools) add(inner, spec.name);
        return;
      case "web_search":
      case "web_fetch":
        hosted.push(spec);
        return;
      case "function":
        put({ name: spec.name, namespace, custom: false }, spec.description, spec.parameters);
        return;
      case "custom": {
        const hint = `The whole input of ${spec.name} as plain text${grammarOf(spec.format)}`;
        put({ name: spec.name, namespace, custom: true }, spec.description, inputSchema(hint));
      }
    }
  }

  function put(origin: Origin, description: string, parameters: Json): void {
    const name = flatName(origin.name, origin.namespace, maxName);
    if (origins.has(name)) return; // the first of two tools with one name wins, as in the registry
    origins.set(name, origin);
    tools.push({ name, description, parameters });
    requestNames.push(origin.namespace === undefined ? origin.name : `${origin.namespace}__${origin.name}`);
  }

  for (const spec of specs) add(spec, undefined);

  const originOf = (flat: string): Origin => origins.get(flat) ?? { name: flat, namespace: undefined, custom: false };
  const head = (callId: string, origin: Origin) => ({
    call_id: callId,
    name: origin.name,
    ...(origin.namespace === undefined ? {} : { namespace: origin.namespace }),
  });
  return {
    tools,
    requestNames,
    hosted,
    callOut(call) {
      const name = flatName(call.name, call.namespace, maxName);
      return { name, args: call.custom ? JSON.stringify({ input: call.input }) : objectText(call.input) };
    },
    callIn({ callId, name, args, sealed }) {
      const origin = originOf(name);
      const extra = sealed === undefined ? {} : { encrypted_content: sealed };
      if (origin.custom) return { type: "custom_tool_call", ...head(callId, origin), input: inputOf(args), ...extra };
      return { type: "function_call", ...head(callId, origin), arguments: args === "" ? "{}" : args, ...extra };
    },
    callBegin(callId, name) {
      const origin = originOf(name);
      if (origin.custom) return { type: "custom_tool_call", ...head(callId, origin), input: "" };
      return { type: "function_call", ...head(callId, origin), arguments: "" };
    },
  };
}

function flatName(name: string, namespace: string | undefined, maxName: number): string {
  const whole = (namespace === undefined ? name : `${namespace}__${name}`).replace(/[^a-zA-Z0-9_-]/g, "_");
  if (whole.length <= maxName) return whole;
  return `${whole.slice(0, maxName - 9)}_${createHash("sha256").update(whole).digest("hex").slice(0, 8)}`;
}

function grammarOf(format: Json): string {
  const definition = format["definition"];
  return typeof definition === "string" ? `, in the form of this grammar:\n${definition}` : "";
}

/** Models that get `input` in a schema sometimes send the bare text. */
function inputOf(args: string): string {
  if (args === "") return "";
  const parsed = parseJson(args);
  if (typeof parsed === "string") return parsed;
  const input = isRecord(parsed) ? (parsed["input"] ?? parsed["patch"] ?? parsed["text"]) : undefined;
  return typeof input === "string" ? input : args;
}

/** Broken arguments of an earlier call must not break this request: they are sent as text. */
function objectText(args: string): string {
  if (args === "") return "{}";
  return isRecord(parseJson(args)) ? args : JSON.stringify({ unparsable_arguments: args });
}
