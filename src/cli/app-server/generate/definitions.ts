/** Collects the contents of the generated files from the method tables: the methods of each direction and every named type they use. */
import { type JsonSchema, jsonSchema } from "../../../lib/schema.ts";
import type { Notification, Request } from "../../../protocol/define.ts";
import { clientNotifications, clientRequests, serverNotifications, serverRequests } from "../../../protocol/methods.ts";
import { RequestId } from "../../../protocol/thread.ts";

export interface Options {
  /** Includes the methods and fields that need `experimentalApi`. */
  readonly experimental: boolean;
}

export interface Method {
  readonly method: string;
  readonly params: JsonSchema | undefined;
  readonly result: JsonSchema | undefined;
  readonly isRequest: boolean;
  /** Parley's own additions. */
  readonly isOwn: boolean;
}

/** The directions, with the names that the real tool gives their unions. */
export interface Surface {
  readonly ClientRequest: readonly Method[];
  readonly ClientNotification: readonly Method[];
  readonly ServerRequest: readonly Method[];
  readonly ServerNotification: readonly Method[];
}
export type Direction = keyof Surface;

export function surface({ experimental }: Options): Surface {
  const methods = (table: Readonly<Record<string, Request | Notification>>): Method[] =>
    Object.entries(table).flatMap(([method, row]) => (isExperimental(row) && !experimental ? [] : [methodOf(method, row)]));
  return {
    ClientRequest: methods(clientRequests),
    ClientNotification: Object.keys(clientNotifications).map((method) => ({
      method,
      params: undefined,
      result: undefined,
      isRequest: false,
      isOwn: false,
    })),
    ServerRequest: methods(serverRequests),
    ServerNotification: methods(serverNotifications),
  };

  function methodOf(method: string, row: Request | Notification): Method {
    const hidden = "result" in row && !experimental ? Object.keys(row.experimentalFields ?? {}) : [];
    const params = without(jsonSchema(row.params()), hidden);
    const isRequest = "result" in row;
    return {
      method,
      params: params.title === "Empty" ? undefined : params,
      result: isRequest ? jsonSchema(row.result()) : undefined,
      isRequest,
      isOwn: row.own === true,
    };
  }
}

const isExperimental = (row: Request | Notification): boolean => "experimental" in row && row.experimental !== undefined;

function without(schema: JsonSchema, fields: readonly string[]): JsonSchema {
  if (fields.length === 0 || schema.properties === undefined) return schema;
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([field]) => !fields.includes(field)));
  return { ...schema, properties };
}

/** Every named type that the methods use, sorted by name. Two different types with one name are an error in the tables. */
export function namedTypes(methods: readonly Method[]): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (schema: JsonSchema): void => {
    const { title } = schema;
    if (title !== undefined) {
      const known = found.get(title);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two types are called ${title}`);
      if (known !== undefined) return;
      found.set(title, schema);
    }
    for (const part of partsOf(schema)) visit(part);
  };
  for (const { params, result } of methods) for (const schema of [params, result]) if (schema !== undefined) visit(schema);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const items = schema.items === undefined ? [] : Array.isArray(schema.items) ? schema.items : [schema.items];
  const rest = schema.additionalProperties === undefined ? [] : [schema.additionalProperties];
  return [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...items, ...Object.values(schema.properties ?? {}), ...rest];
}

/** One direction as one type: a union of its messages. */
export function messageUnion(direction: Direction, methods: readonly Method[]): JsonSchema {
  const members = methods.map(({ method, params, isRequest }): JsonSchema => {
    const properties: Record<string, JsonSchema> = { method: { type: "string", enum: [method] } };
    if (isRequest) properties["id"] = jsonSchema(RequestId());
    if (params !== undefined) properties["params"] = params;
    return { type: "object", properties, required: Object.keys(properties) };
  });
  return { title: direction, anyOf: members };
}

/** A message of any direction and method, by its form alone. */
export function envelopes(): readonly JsonSchema[] {
  const id = jsonSchema(RequestId());
  const method: JsonSchema = { type: "string" };
  const request: JsonSchema = {
    title: "JSONRPCRequest",
    type: "object",
    properties: { id, method, params: {} },
    required: ["id", "method"],
  };
  const notification: JsonSchema = {
    title: "JSONRPCNotification",
    type: "object",
    properties: { method, params: {} },
    required: ["method"],
  };
  const response: JsonSchema = { title: "JSONRPCResponse", type: "object", properties: { id, result: {} }, required: ["id", "result"] };
  const problem: JsonSchema = {
    title: "JSONRPCErrorError",
    type: "object",
    properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
    required: ["code", "message"],
  };
  const error: JsonSchema = { title: "JSONRPCError", type: "object", properties: { id, error: problem }, required: ["id", "error"] };
  const message: JsonSchema = { title: "JSONRPCMessage", anyOf: [request, notification, response, error] };
  return [id, request, notification, response, error, problem, message];
}

/** A notification with the time at which it was sent. */
export function notificationEnvelope(notifications: JsonSchema): JsonSchema {
  const time: JsonSchema = { type: "object", properties: { emittedAtMs: { type: "integer" } } };
  return { title: "ServerNotificationEnvelope", allOf: [time, notifications] };
}
