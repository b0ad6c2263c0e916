/** Sanitizes what MCP servers report about themselves, for people and models: no hidden characters, no unlimited lengths. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../core/ports/model-client.ts";
import { visibleText } from "../lib/visible-text.ts";
import { flattened } from "./flatten.ts";

const maxSchema = 64 * 1024;
const maxSchemaText = 2048;
const maxDepth = 24;

/** A schema with sanitized descriptions and a single object at the top; replaced by "any object" if it is too large or too deep. */
export function cleanedSchema(schema: JsonObject): JsonObject {
  const copy = cleanedValue(schema, 0);
  const isObject = typeof copy === "object" && copy !== null && !Array.isArray(copy);
  const flat = !isObject || JSON.stringify(copy).length > maxSchema ? undefined : flattened({ ...copy });
  // Merging alternatives that repeat a large part can make the schema longer.
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

/** For comparing definitions. */
export const fingerprint = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64url");
