/** What MCP servers say of themselves, made fit to be shown to people and models: nothing hidden, nothing endless. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../core/ports/model-client.ts";
import { visibleText } from "../lib/visible-text.ts";
import { flattened } from "./flatten.ts";

const maxSchema = 64 * 1024;
const maxSchemaText = 2048;
const maxDepth = 24;

/** A schema with its descriptions cleaned and one object at its top; one that is too large or too deep is replaced by "any object". */
export function cleanedSchema(schema: JsonObject): JsonObject {
  const copy = cleanedValue(schema, 0);
  const isObject = typeof copy === "object" && copy !== null && !Array.isArray(copy);
  const flat = !isObject || JSON.stringify(copy).length > maxSchema ? undefined : flattened({ ...copy });
  // Laid over each other, alternatives that repeat a large part can be longer than they were.
  if (flat === undefined || JSON.stringify(flat).length > maxSchema) return { type: "object", properties: {}, additionalProperties: true };
  return { properties: {}, ...flat };
}

function cleanedValue(value: unknown, depth: number): unknown {
  if (depth > maxDepth) return {};
  if (Array.isArray(value)) return value.map((item) => cleanedValue(item, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isText = (key === "description" || key === "title") && typeof inner === "string";
      return [key, isText ? visibleText(inner, maxSchemaText) : cleanedValue(inner, depth + 1)];
    }),
  );
}

/** Tells whether two definitions are the same one. */
export const fingerprint = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64url");
