/** The OpenAPI 3.1 description of the manager, generated from the rows that validate every call. */

import { isRecord } from "../lib/is-record.ts";
import { type Lazy, type Schema, union } from "../lib/schema.ts";
import type { Route } from "./api/define.ts";
import { Failure } from "./api/records.ts";
import { routes } from "./api.ts";
import {
  broadcast,
  defaultFamilies,
  eventPayloads,
  families,
  inboxEvents,
  PassThroughEvent,
  StreamCommand,
  StreamMessage,
} from "./events.ts";

export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: unknown };
}

const statusTexts: Readonly<Record<number, string>> = {
  101: "Switches to the websocket protocol",
  200: "Done",
  202: "Accepted",
  400: "The request does not match its schema",
  401: "Not signed in, or the engine has no account",
  403: "Not allowed for this session or this caller",
  404: "Not found",
  409: "In conflict with the current state",
  410: "The session was deleted",
  423: "Locked by the administrator",
  426: "Only a websocket is served here",
  429: "Too many attempts",
  500: "The engine could not be reached",
  501: "The engine cannot do this",
  502: "Another server that is needed for it refuses, fails or cannot be reached",
  504: "Another server that is needed for it did not answer in time",
};

export function describeRoutes(version: string): OpenApi {
  const schemas = new Map<string, unknown>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [key, row] of Object.entries(routes) as [string, Route][]) {
    const [method = "GET", template = "/"] = key.split(" ");
    const path = template.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(key, template, row, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley manager",
      version,
      description:
        "Every session of a Parley engine over HTTP. Events are sent over the websocket `/api/stream`; `/rpc` serves the app-server protocol itself.",
    },
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "parley_<port>" },
        pageKey: { type: "apiKey", in: "header", name: "x-parley-key" },
      },
    },
  };
}

function operation(key: string, template: string, row: Route, schemas: Map<string, unknown>): unknown {
  const inPath = [...template.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const responses: Record<string, unknown> = {};
  for (const [status, schema] of Object.entries(row.answers)) responses[status] = response(Number(status), schema, row, schemas);
  if (row.scope !== null) responses["401"] ??= response(401, Failure, {}, schemas);
  if (row.scope !== null && row.scope !== "read") responses["403"] = response(403, orInsufficientScope(row.answers[403]), {}, schemas);
  responses["default"] = response(0, Failure, {}, schemas);
  return {
    operationId: operationId(key),
    summary: row.summary,
    ...(row.scope === null ? { security: [] } : { security: [{ bearer: [] }, { cookie: [], pageKey: [] }], "x-scope": row.scope }),
    parameters: [...inPath, ...queryParameters(row)],
    ...(row.body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: reference(row.body, schemas) } } } }),
    responses,
    ...(key === "GET /api/stream" ? { "x-stream": streamDescription(schemas) } : {}),
  };
}

/** A route's own error, or the guard's error for a device with an insufficient scope. */
const orInsufficientScope = (own: Lazy | undefined): Lazy => (own === undefined ? Failure : () => union([own(), Failure()]));

/** What OpenAPI cannot express: the websocket frames in both directions, and the recipients of each event. */
function streamDescription(schemas: Map<string, unknown>): unknown {
  const events = Object.entries(eventPayloads).map(([name, payload]) => [
    name,
    {
      payload: reference(payload, schemas),
      family: name === "notification" || name === "server_request" ? "raw" : "core",
      heardBy: broadcast.has(name)
        ? "every socket"
        : inboxEvents.has(name)
          ? "sockets of its session, and the family inbox"
          : "sockets of its session",
    },
  ]);
  return {
    description:
      "Programs send a bearer token; a browser sends its cookie and offers the protocols `parley.stream` and `parley.key.<pageKey>`. Frames are JSON texts. The first is `ready`. Numbered events contain `seq` and `bootId`; a client that reconnects subscribes with the last `seq` and receives what it missed, or `resync` if that is no longer stored or too much. A client that does not read is closed with 1013 and reconnects the same way. `*` subscribes to every session.",
    send: reference(StreamCommand, schemas),
    receive: reference(StreamMessage, schemas),
    families: { all: families, default: defaultFamilies },
    events: Object.fromEntries(events),
    passThrough: reference(PassThroughEvent, schemas),
  };
}

/** `POST /api/sessions/:sessionId/messages` becomes `postSessionsMessages`: a name for generated clients. */
export function operationId(key: string): string {
  const [method = "", path = ""] = key.split(" ");
  const parts = path.split("/").filter((w) => w !== "" && w !== "api" && !w.startsWith(":"));
  const by = /:\w+$/.test(path) ? ["by", path.split(":").at(-1) ?? ""] : [];
  return [method.toLowerCase(), ...parts, ...by]
    .map((w, i) =>
      w
        .split(/[-.]/)
        .map((p, j) => (i + j === 0 ? p : p.charAt(0).toUpperCase() + p.slice(1)))
        .join(""),
    )
    .join("");
}

function queryParameters(row: Route): unknown[] {
  if (row.query === undefined) return [];
  const schema = row.query() as unknown as { properties?: Record<string, unknown>; required?: readonly string[] };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: "query",
    required: schema.required?.includes(name) ?? false,
    schema: plain(property, new Map()),
  }));
}

function response(status: number, schema: Lazy, row: Pick<Route, "media">, schemas: Map<string, unknown>): unknown {
  const description = statusTexts[status] ?? "Anything else that went wrong";
  if (status === 101) return { description };
  const media = row.media === undefined || row.media === "websocket" || status >= 400 ? "application/json" : row.media;
  return { description, content: { [media]: { schema: reference(schema, schemas) } } };
}

/** Named schemas are defined once under components and referenced everywhere else. */
function reference(schema: Lazy, schemas: Map<string, unknown>): unknown {
  return plain(schema(), schemas);
}

function plain(schema: Schema | unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((s) => plain(s, schemas));
  if (!isRecord(schema)) return schema;
  const { title } = schema;
  const shape = (): unknown =>
    Object.fromEntries(
      Object.entries(schema).flatMap(([k, v]) =>
        k === "title" || k.startsWith("~") || v === undefined
          ? []
          : [
              [
                k,
                k === "properties" && isRecord(v)
                  ? Object.fromEntries(Object.entries(v).map(([n, p]) => [n, plain(p, schemas)]))
                  : plain(v, schemas),
              ],
            ],
      ),
    );
  if (typeof title !== "string") return shape();
  if (!schemas.has(title)) {
    schemas.set(title, {});
    schemas.set(title, shape());
  }
  return { $ref: `#/components/schemas/${title}` };
}
