/** Holds what an engine of another process says against the protocol, before anything of the manager acts on it. */
import { type Lazy, problem, type Schema } from "../lib/schema.ts";
import { serverNotifications, serverRequests } from "../protocol/methods.ts";

type Rows = Readonly<Record<string, { readonly params: Lazy }>>;

/** No method of any generation is nearly as long. */
const maxMethod = 200;

/**
 * Why a message is not taken; undefined takes it. Each field that is there must be what the protocol says. Fields that are missing, and methods
 * and fields that are unknown, are let through: engines of other generations have fewer or more of them.
 */
export function misfit(kind: "notification" | "request", method: string, params: unknown): string | undefined {
  if (method.length > maxMethod) return `a method of ${method.length} characters`;
  const rows: Rows = kind === "notification" ? serverNotifications : serverRequests;
  const row = Object.hasOwn(rows, method) ? rows[method] : undefined;
  return row === undefined ? undefined : problem(loose(row.params()) as Schema, params);
}

/** Memory only: each schema is loosened once. */
const loosened = new WeakMap<object, object>();

function loose(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  const known = loosened.get(schema);
  if (known !== undefined) return known;
  if (Array.isArray(schema)) return schema.map(loose);
  const made: Record<string, unknown> = {};
  loosened.set(schema, made);
  for (const [key, value] of Object.entries(schema)) if (key !== "required" || !Array.isArray(value)) made[key] = loose(value);
  return made;
}
