/** Collects what servers have sent in the scenarios of this process: methods, and each value of each list of values that a schema announces. */
import { type JsonSchema, jsonSchema } from "../../src/lib/schema.ts";
import { check } from "../../src/lib/schema-check.ts";
import { clientRequests, serverNotifications, serverRequests } from "../../src/protocol/methods.ts";
import type { Transport } from "../../src/rpc/transport.ts";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}
type Take = (name: string) => void;

const tables: Readonly<Record<string, Readonly<Record<string, object>>>> = { serverNotifications, serverRequests, clientRequests };

const schemaOf = (table: string, method: string): JsonSchema | undefined => {
  const row = tables[table]?.[method];
  const lazy: unknown = row === undefined ? undefined : Reflect.get(row, table === "clientRequests" ? "result" : "params");
  return typeof lazy === "function" ? jsonSchema(lazy()) : undefined;
};

/** Everything that is announced: methods as they are, values as `Type.field: value`. */
export function announced(): ReadonlySet<string> {
  const all = new Set<string>();
  const known = new Set<JsonSchema>();
  for (const [table, rows] of Object.entries(tables))
    for (const method of Object.keys(rows)) {
      if (table !== "clientRequests") all.add(method);
      const schema = schemaOf(table, method);
      if (schema !== undefined) valuesOf(schema, method, known, (name) => all.add(name));
    }
  return all;
}

function valuesOf(schema: JsonSchema, at: string, known: Set<JsonSchema>, take: Take): void {
  if (known.has(schema)) return;
  known.add(schema);
  const place = schema.title ?? at;
  for (const value of schema.enum ?? []) take(`${place}: ${value}`);
  for (const member of [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...[schema.items ?? []].flat()])
    valuesOf(member, place, known, take);
  for (const [key, field] of Object.entries(schema.properties ?? {})) valuesOf(field, `${place}.${key}`, known, take);
  if (schema.additionalProperties !== undefined) valuesOf(schema.additionalProperties, place, known, take);
}

function visit(schema: JsonSchema, value: unknown, at: string, take: Take): void {
  const place = schema.title ?? at;
  if (schema.enum !== undefined) take(`${place}: ${value}`);
  for (const member of schema.anyOf ?? []) if (check(member, value)) visit(member, value, place, take);
  for (const member of schema.allOf ?? []) visit(member, value, place, take);
  if (Array.isArray(value)) {
    const { items } = schema;
    for (const [i, each] of value.entries()) {
      const item = Array.isArray(items) ? items[i] : items;
      if (item !== undefined) visit(item, each, place, take);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      const field = schema.properties?.[key] ?? schema.additionalProperties;
      if (field !== undefined && each !== null)
        visit(field, each, schema.properties?.[key] === undefined ? place : `${place}.${key}`, take);
    }
  }
}

/** One for the process: all scenarios of a run add to it. */
export const sent = new Set<string>();

/** Lets what passes between the two ends be counted. */
export function countSent(client: Transport, server: Transport): void {
  const asked = new Map<unknown, string>();
  const fromClient = client.send.bind(client);
  client.send = (text) => {
    const { id, method }: Message = parsed(text);
    if (id !== undefined && method !== undefined) asked.set(id, method);
    fromClient(text);
  };
  const fromServer = server.send.bind(server);
  server.send = (text) => {
    count(parsed(text), asked);
    fromServer(text);
  };
}

/** Scenarios send what is no JSON too. */
function parsed(text: string): Message {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function count({ id, method, params, result }: Message, asked: Map<unknown, string>): void {
  const take: Take = (name) => sent.add(name);
  if (method !== undefined) {
    take(method);
    const schema = schemaOf(id === undefined ? "serverNotifications" : "serverRequests", method);
    if (schema !== undefined) visit(schema, params, method, take);
  } else if (result !== undefined) {
    const schema = schemaOf("clientRequests", asked.get(id) ?? "");
    if (schema !== undefined) visit(schema, result, asked.get(id) ?? "", take);
  }
}
