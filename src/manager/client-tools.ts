/** Tools implemented by a client of the manager: in the callers' form, in the engine's form, and stored so that each resume offers them again. */
import type { DynamicToolSpec } from "../protocol/dynamic-tool.ts";

export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly namespace?: string | null;
  readonly deferLoading?: boolean;
}

/** Groups the tools of one namespace at the position of its first tool. */
export function toolSpecs(tools: readonly ClientTool[]): DynamicToolSpec[] {
  const specs: DynamicToolSpec[] = [];
  const spaces = new Map<string, Extract<DynamicToolSpec, { type: "namespace" }>>();
  for (const { namespace, ...tool } of tools) {
    const spec = functionSpec(tool);
    if (namespace == null || namespace === "") {
      specs.push(spec);
      continue;
    }
    const space = spaces.get(namespace) ?? { type: "namespace" as const, name: namespace, description: "", tools: [] };
    if (!spaces.has(namespace)) specs.push(space);
    spaces.set(namespace, space);
    space.tools.push(spec);
  }
  return specs;
}

function functionSpec({ name, description, inputSchema, deferLoading }: ClientTool): Extract<DynamicToolSpec, { type: "function" }> {
  return { type: "function", name, description, inputSchema, ...(deferLoading === undefined ? {} : { deferLoading }) };
}
