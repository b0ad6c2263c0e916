/** Finds the tool that a model's call means, even when the name or JSON is slightly off, and builds the list of tools to offer. */

import { nearest } from "../../lib/nearest.ts";
import { repairJson } from "../../lib/repair-json.ts";
import type { ModelItem, ToolSpec } from "../ports/model-client.ts";
import { failed, type Tool, type ToolCall, type ToolFace, type ToolOutput } from "../ports/tool.ts";

/** A call with the tool it names; undefined when nothing of that name was offered. */
export interface OfferedCall {
  readonly item: ModelItem;
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  /** Everything that the model could have called. */
  readonly offered: readonly Tool[];
}

/** The tools as offered. Those of a namespace form one entry, at the position of the first; wires without namespaces flatten it. */
export function specsOf(tools: readonly Tool[]): ToolSpec[] {
  const namespaces = new Map<string, ToolSpec[]>();
  return tools.flatMap((tool): ToolSpec[] => {
    const { namespace, namespaceDescription } = tool;
    if (namespace === undefined) return [specOf(tool)];
    const inner = namespaces.get(namespace);
    if (inner !== undefined) {
      inner.push(specOf(tool));
      return [];
    }
    const first = [specOf(tool)];
    namespaces.set(namespace, first);
    const description = namespaceDescription?.trim() ? namespaceDescription : `Tools in the ${namespace} namespace.`;
    return [{ type: "namespace", name: namespace, description, tools: first }];
  });
}

/** The same object for the same tool, so that wires need to write it down only once: tools rarely change, and every request has them all. */
const specs = new WeakMap<Tool, ToolSpec>();

function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known !== undefined) return known;
  const spec = newSpec(tool);
  specs.set(tool, spec);
  return spec;
}

function newSpec({ name, face }: Tool): ToolSpec {
  if (isHosted(face)) return face;
  return face.type === "function"
    ? { type: face.type, name, description: face.description, strict: false, parameters: face.parameters }
    : { type: face.type, name, description: face.description, format: face.format };
}

/** Run by the provider itself. */
const isHosted = (face: ToolFace): face is Extract<ToolFace, { type: "web_search" | "web_fetch" }> =>
  face.type === "web_search" || face.type === "web_fetch";

const flatName = ({ name, namespace }: Tool): string => (namespace === undefined ? name : `${namespace}__${name}`);

export function offeredCall(item: ModelItem, tools: readonly Tool[]): OfferedCall {
  const { callId, name, namespace, text } = callParts(item);
  const args = item.type === "custom_tool_call" ? undefined : repairJson(text === "" ? "{}" : text)?.value;
  const call: ToolCall = { callId, name, namespace, args, text };
  return { item, call, tool: findTool(name, namespace, tools), offered: tools };
}

/** By its exact name first; then by a name that differs in case, spelling or prefix, or by another agent's name for the same tool. */
export function findTool(name: string, namespace: string | undefined, tools: readonly Tool[]): Tool | undefined {
  const exact =
    tools.find((tool) => tool.name === name && (tool.namespace ?? "") === (namespace ?? "")) ??
    // A flat name; with a different namespace it means another tool.
    (namespace === undefined || name.startsWith(`${namespace}__`) ? tools.find((tool) => flatName(tool) === name) : undefined);
  if (exact !== undefined) return exact;
  const wanted = plainName(namespace === undefined ? name : `${namespace}__${name}`);
  const offered = tools.filter((tool) => tool.silent !== true);
  for (const among of [offered, tools]) {
    const spelt = among.filter((tool) => plainName(flatName(tool)) === wanted);
    if (spelt.length > 0) return spelt.length === 1 ? spelt[0] : undefined; // no guessing between two tools that differ only in case
    const known = among.find((tool) => tool.aliases?.some((alias) => plainName(alias) === wanted) === true);
    if (known !== undefined) return known;
  }
  return undefined;
}

/** `functions.ExecCommand:0` → `exec_command`. */
function plainName(name: string): string {
  return name
    .trim()
    .replace(/<\|.*$/s, "")
    .replace(/^(?:functions?|tools?|default_api|assistant)(?:[.:/]+|__)/i, "")
    .replace(/:\d+$|\(\)$/, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[\s.-]+/g, "_")
    .toLowerCase();
}

const maxNames = 60;

/** Lists the available tools, for a call to an unknown one. */
export function unknownTool({ name, namespace }: ToolCall, tools: readonly Tool[]): ToolOutput {
  const names = tools.flatMap((tool) => (tool.silent === true || isHosted(tool.face) ? [] : [flatName(tool)]));
  const meant = nearest(name, names);
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  return failed(
    [
      `unsupported call: ${namespace === undefined ? "" : `${namespace}.`}${name}`,
      meant === undefined ? "" : `Did you mean ${meant}?`,
      names.length === 0 ? "No tools are offered." : `The tools are: ${names.slice(0, maxNames).join(", ")}${more}.`,
    ]
      .filter((line) => line !== "")
      .join("\n"),
  );
}

function callParts(item: ModelItem): { callId: string; name: string; namespace: string | undefined; text: string } {
  if (item.type === "function_call")
    return { callId: item.call_id, name: item.name, namespace: item.namespace ?? undefined, text: item.arguments };
  if (item.type === "custom_tool_call")
    return { callId: item.call_id, name: item.name, namespace: item.namespace ?? undefined, text: item.input };
  if (item.type === "local_shell_call")
    return { callId: item.call_id ?? item.id ?? "", name: "local_shell", namespace: undefined, text: JSON.stringify(item.action) };
  throw new Error(`not a tool call: ${item.type}`);
}
