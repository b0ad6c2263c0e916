/** Checks a call's arguments against a tool's schema and says to the model what is wrong with them. */

import { failed, type ToolOutput } from "../core/ports/tool.ts";
import { type Infer, type Lazy, problem, type Schema } from "../lib/schema.ts";

export function checked<T extends Schema>(
  schema: Lazy<T>,
  args: unknown,
): { readonly args: Infer<Lazy<T>> } | { readonly failure: ToolOutput } {
  const wrong = problem(schema(), args);
  if (wrong !== undefined) return { failure: failed(`failed to parse function arguments: ${wrong}`) };
  return { args: args as Infer<Lazy<T>> };
}

/** A function tool's parameters as JSON Schema, with descriptions for the model. */
export function parameters(properties: Record<string, object>, required: readonly string[]): { readonly [key: string]: unknown } {
  return { type: "object", properties, required, additionalProperties: false };
}
