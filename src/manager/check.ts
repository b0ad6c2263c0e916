/** Validates a caller's input against the route's schemas; errors name the field and the fix. */

import { isRecord } from "../lib/is-record.ts";
import { fits, type Lazy, problem, type Schema } from "../lib/schema.ts";
import type { Route } from "./api/define.ts";
import { invalid } from "./problems.ts";

interface JsonSchema {
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export function checkQuery(route: Route, search: URLSearchParams): Record<string, unknown> {
  if (route.query === undefined) return {};
  const schema = route.query() as JsonSchema & Schema;
  const query: Record<string, unknown> = {};
  for (const [name, text] of search) {
    const known = schema.properties?.[name];
    if (known !== undefined) query[name] = fromText(known, text);
  }
  return checked(route.query, query);
}

/** Query values are text; numbers and booleans are converted according to the schema. A value that cannot be converted stays text and fails validation. */
function fromText(schema: JsonSchema, text: string): unknown {
  const type = schema.type ?? schema.anyOf?.find((s) => s.type !== "null")?.type;
  if (type === "boolean") return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
  if (type === "integer" || type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}

export function checkBody(route: Route, body: unknown): Record<string, unknown> {
  if (route.body === undefined) return {};
  return checked(route.body, body ?? {});
}

function checked(schema: Lazy, value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw invalid([{ path: "", message: "expected a JSON object" }]);
  const built = schema();
  if (fits(built, value)) return value;
  const limit = limitProblem(built as JsonSchema, value, "");
  if (limit !== undefined) throw invalid([limit]);
  const text = problem(built, value) ?? "does not fit";
  const [, message, path] = /^([\s\S]*?)(?: in `([^`]*)`)?$/.exec(text) ?? [];
  throw invalid([{ path: path ?? "", message: message ?? text }]);
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

function limitProblem(schema: JsonSchema, value: unknown, path: string): Issue | undefined {
  if (schema.anyOf !== undefined) {
    const own = schema.anyOf.filter((s) => isOfType(s, value));
    return own.length === 1 && own[0] !== undefined ? limitProblem(own[0], value, path) : undefined;
  }
  const wrong = (message: string): Issue => ({ path, message });
  if (typeof value === "string") {
    if (schema.minLength !== undefined && value.length < schema.minLength)
      return wrong(schema.minLength === 1 ? "must not be empty" : `needs at least ${schema.minLength} characters`);
    if (schema.maxLength !== undefined && value.length > schema.maxLength) return wrong(`may have at most ${schema.maxLength} characters`);
  }
  if (typeof value === "number") {
    if (schema.minimum !== undefined && value < schema.minimum) return wrong(`must be at least ${schema.minimum}`);
    if (schema.maximum !== undefined && value > schema.maximum) return wrong(`must be at most ${schema.maximum}`);
  }
  if (Array.isArray(value)) return listProblem(schema, value, path);
  if (!isRecord(value)) return undefined;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const found = value[key] === undefined ? undefined : limitProblem(property, value[key], path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listProblem(schema: JsonSchema, value: readonly unknown[], path: string): Issue | undefined {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    return { path, message: `needs at least ${schema.minItems} ${schema.minItems === 1 ? "entry" : "entries"}` };
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    return { path, message: `may have at most ${schema.maxItems} entries` };
  for (const [index, entry] of value.entries()) {
    const found = schema.items === undefined ? undefined : limitProblem(schema.items, entry, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOfType(schema: JsonSchema, value: unknown): boolean {
  if (schema.type === "array") return Array.isArray(value);
  if (schema.type === "object") return isRecord(value);
  if (schema.type === "integer") return Number.isInteger(value);
  return schema.type === typeof value;
}
