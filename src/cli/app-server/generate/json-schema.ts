/** Writes named types as JSON Schema (draft 7): one file each, one bundle of all, and one of today's protocol without nesting. */
import type { JsonSchema } from "../../../lib/schema.ts";
import { type Direction, envelopes, type Method, messageUnion, namedTypes, type Options, surface } from "./definitions.ts";
import { schemaFileOf, schemaPlaceOf } from "./layout.ts";
import type { Files } from "./typescript.ts";

type Json = { [key: string]: unknown };
const draft = "http://json-schema.org/draft-07/schema#";
export const bundleFile = "codex_app_server_protocol.schemas.json";
export const flatBundleFile = "codex_app_server_protocol.v2.schemas.json";

export function jsonSchemaFiles(options: Options): Files {
  const methods = surface(options);
  const all = Object.values(methods).flat();
  const files = new Map<string, string>([
    [bundleFile, text(bundle(methods, all))],
    [flatBundleFile, text(flatBundle(methods))],
  ]);
  const shared = namedTypes(all.filter((method) => !method.isOwn));
  for (const { params, result } of all)
    for (const schema of [params, result]) if (schema?.title !== undefined) addFile(schema, schema.title, !shared.has(schema.title));
  for (const schema of [...unions(methods, false), ...envelopes()]) addFile(schema, schema.title ?? "", false);
  return files;

  function addFile(schema: JsonSchema, title: string, isOwn: boolean): void {
    const place = schemaPlaceOf(title, isOwn);
    files.set(schemaFileOf(place), text(standAlone(schema, place.name)));
  }
}

/** A self-contained schema. */
function standAlone(schema: JsonSchema, name: string): Json {
  const refer = (title: string): string => `#/definitions/${schemaPlaceOf(title, false).name}`;
  const types = namedTypes([{ method: "", params: schema, result: undefined, isRequest: false, isOwn: false }]);
  const definitions = [...types]
    .filter(([title]) => title !== schema.title)
    .map(([title, type]) => [schemaPlaceOf(title, false).name, plain(type, refer)]);
  const body = plain(schema, refer);
  return { $schema: draft, title: name, ...body, ...(definitions.length === 0 ? {} : { definitions: Object.fromEntries(definitions) }) };
}

/** Requests of today's clients, notifications to them and their types, all on one level as code generators want them. */
function flatBundle(methods: ReturnType<typeof surface>): Json {
  const isToday = (method: Method): boolean => !method.isOwn && ![...namedTypes([method]).keys()].some((title) => title.startsWith("v1."));
  const requests = methods.ClientRequest.filter(isToday);
  const notifications = methods.ServerNotification.filter(isToday);
  const refer = (title: string): string => `#/definitions/${title}`;
  const definitions: Json = {};
  for (const [title, schema] of namedTypes([...requests, ...notifications])) definitions[title] = plain(schema, refer);
  for (const schema of [messageUnion("ClientRequest", requests), messageUnion("ServerNotification", notifications)])
    definitions[schema.title ?? ""] = plain(schema, refer);
  return { $schema: draft, title: "CodexAppServerProtocolV2", type: "object", definitions: sorted(definitions) };
}

/** Everything in one file: types nested as in the real tool's output, our own additions under `x-parley`. */
function bundle(methods: ReturnType<typeof surface>, all: readonly Method[]): Json {
  const shared = namedTypes(all.filter((method) => !method.isOwn));
  const envelopeNames = new Set(envelopes().map((schema) => schema.title));
  const refer = (title: string): string => {
    const { folder, name } = schemaPlaceOf(title, !shared.has(title) && !envelopeNames.has(title));
    return folder === "parley" ? `#/x-parley/definitions/${name}` : `#/definitions/${folder === "" ? "" : `${folder}/`}${name}`;
  };
  const definitions: Json = {};
  const v2: Json = {};
  const own: Json = {};
  for (const [title, schema] of namedTypes(all)) {
    const { folder, name } = schemaPlaceOf(title, !shared.has(title));
    ({ "": definitions, v2, parley: own })[folder][name] = plain(schema, refer);
  }
  for (const schema of [...unions(methods, false), ...envelopes()]) definitions[schema.title ?? ""] = plain(schema, refer);
  for (const schema of unions(methods, true)) own[schema.title ?? ""] = plain(schema, refer);
  return {
    $schema: draft,
    title: "CodexAppServerProtocol",
    type: "object",
    definitions: { ...sorted(definitions), v2: sorted(v2) },
    "x-parley": { definitions: sorted(own) },
  };
}

function unions(methods: ReturnType<typeof surface>, isOwn: boolean): JsonSchema[] {
  return (Object.entries(methods) as [Direction, readonly Method[]][]).flatMap(([direction, list]) => {
    const chosen = list.filter((method) => method.isOwn === isOwn);
    return chosen.length === 0 ? [] : [messageUnion(direction, chosen)];
  });
}

/** The schema with its named parts as references. */
function plain(schema: JsonSchema, refer: (title: string) => string): Json {
  const part = (inner: JsonSchema): Json => (inner.title === undefined ? plain(inner, refer) : { $ref: refer(inner.title) });
  const { title: _, properties, anyOf, allOf, items, additionalProperties, ...rest } = schema;
  const type = nullableType(anyOf);
  return {
    ...rest,
    ...(type === undefined ? {} : { type }),
    ...(anyOf === undefined || type !== undefined ? {} : { anyOf: anyOf.map(part) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(part) }),
    ...(items === undefined ? {} : { items: Array.isArray(items) ? items.map(part) : part(items as JsonSchema) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, part(value)])) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: part(additionalProperties) }),
  };
}

/** `string | null` is short for a union of two. */
function nullableType(anyOf: readonly JsonSchema[] | undefined): readonly string[] | undefined {
  const [one, two] = anyOf ?? [];
  if (anyOf?.length !== 2 || one?.type === undefined || two?.type !== "null") return undefined;
  return Object.keys(one).length === 1 ? [one.type, "null"] : undefined;
}

const sorted = (json: Json): Json => Object.fromEntries(Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1)));
const text = (json: Json): string => `${JSON.stringify(json, null, 2)}\n`;
