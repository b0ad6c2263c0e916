/** The schemas that three real versions print, and whether a message matches them. Serves the oracle tests and the scenarios' wire recorder. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { jsonSchema } from "../../src/lib/schema.ts";
import type { Request } from "../../src/protocol/define.ts";
import { clientRequests, serverRequests } from "../../src/protocol/methods.ts";
import { v1ServerRequests } from "../../src/protocol/v1/approval.ts";
import { v1Requests } from "../../src/protocol/v1/methods.ts";

export const versions = ["0.92", "0.99", "0.166"] as const;
export type Version = (typeof versions)[number];
export type Direction = "toServer" | "toClient";
/** A JSON-RPC message; a response also needs the method it responds to. */
export type WireMessage = { readonly method?: string; readonly id?: unknown; readonly params?: unknown; readonly result?: unknown };

/** Part of a printed schema. */
export interface Printed {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Printed[];
  readonly anyOf?: readonly Printed[];
  readonly allOf?: readonly Printed[];
  readonly items?: Printed | readonly Printed[] | boolean;
  readonly properties?: Readonly<Record<string, Printed | boolean>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Printed | boolean;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly format?: string;
  readonly definitions?: Readonly<Record<string, Printed>>;
}

const files: Readonly<Record<Version, string>> = { "0.92": "0.92.0", "0.99": "0.99.0-experimental", "0.166": "0.166.0-experimental" };
const shared = path.resolve(import.meta.dirname, "../..", process.env["PARLEY_SHARED"] ?? "../shared");

/** The folder with schemas and goldens, or the reason for which tests are skipped without it. */
export const sharedFolder: { readonly path: string } | { readonly skip: string } = existsSync(path.join(shared, "reference/schemas"))
  ? { path: shared }
  : { skip: "the shared folder with the real versions' schemas is not here (PARLEY_SHARED or ../shared)" };

interface Oracle {
  readonly bundle: Printed;
  /** The validator of a type by its pointer, such as `v2/TurnStartParams`. */
  readonly check: (type: string) => ValidateFunction | undefined;
  /** The params type of a method, by direction. */
  readonly paramsOf: ReadonlyMap<string, Printed | undefined>;
  readonly itemTypes: ReadonlySet<string>;
  readonly eventTypes: ReadonlySet<string>;
}

const oracles = new Map<Version, Oracle>();

export function oracleOf(version: Version): Oracle {
  if ("skip" in sharedFolder) throw new Error(sharedFolder.skip);
  const known = oracles.get(version);
  if (known !== undefined) return known;
  const text = readFileSync(path.join(sharedFolder.path, "reference/schemas", `${files[version]}.json`), "utf8");
  const bundle = mended(JSON.parse(text) as Printed);
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
  ajv.addSchema(bundle, version);
  const definitions = (bundle.definitions ?? {}) as Readonly<Record<string, Printed & Record<string, Printed>>>;
  const variants = (type: Printed | undefined): readonly Printed[] => type?.oneOf ?? type?.anyOf ?? [];
  const tags = (type: Printed | undefined, key: string): string[] =>
    variants(type).flatMap((variant) => ((variant.properties?.[key] as Printed | undefined)?.enum ?? []) as string[]);
  const paramsOf = new Map<string, Printed | undefined>();
  for (const union of ["ClientRequest", "ServerRequest", "ServerNotification", "ClientNotification"])
    for (const variant of variants(definitions[union])) {
      const method = (variant.properties?.["method"] as Printed | undefined)?.enum?.[0];
      if (typeof method === "string") paramsOf.set(`${union} ${method}`, variant.properties?.["params"] as Printed | undefined);
    }
  const oracle: Oracle = {
    bundle,
    check: (type) => ajv.getSchema(`${version}#/definitions/${type}`),
    paramsOf,
    itemTypes: new Set(tags(definitions["v2"]?.["ThreadItem"], "type")),
    eventTypes: new Set(tags(definitions["EventMsg"], "type")),
  };
  oracles.set(version, oracle);
  return oracle;
}

/**
 * The bundles mix up types of the same name. Events refer to today's camelCase types, but on the wire they are the snake_case ones. In 0.99 the
 * action of a `webSearch` item is printed as the model's own type, but on the wire its values are camelCase, as in that version's separate files.
 */
function mended(bundle: Printed): Printed {
  const definitions = { ...bundle.definitions } as Record<string, unknown>;
  const v2 = { ...(definitions["v2"] as Record<string, unknown>) };
  const replace = (value: unknown, pattern: RegExp, by: (ref: string, name: string) => string): unknown =>
    JSON.parse(JSON.stringify(value).replace(pattern, by));
  if (definitions["EventMsg"] !== undefined)
    definitions["EventMsg"] = replace(definitions["EventMsg"], /#\/definitions\/v2\/(\w+)/g, (ref, name) =>
      Object.hasOwn(definitions, name) ? `#/definitions/${name}` : ref,
    );
  if (JSON.stringify(v2["WebSearchAction"]).includes('"open_page"')) {
    v2["ItemWebSearchAction"] = replace(
      v2["WebSearchAction"],
      /"(open_page|find_in_page)"/g,
      (_, word) => `"${word === "open_page" ? "openPage" : "findInPage"}"`,
    );
    v2["ThreadItem"] = replace(v2["ThreadItem"], /#\/definitions\/v2\/WebSearchAction/g, () => "#/definitions/v2/ItemWebSearchAction");
  }
  return { ...bundle, definitions: { ...definitions, v2 } as Record<string, Printed> };
}

/**
 * What a version's schemas reject in a message; undefined if it is valid, or if that version knows neither its method nor the type of
 * its item. `answered` is the method that a response belongs to.
 */
export function fitsVersion(version: Version, direction: Direction, message: WireMessage, answered?: string): string | undefined {
  const oracle = oracleOf(version);
  if (message.method === undefined) return answered === undefined ? undefined : resultFault(oracle, direction, message.result, answered);
  if (message.method.startsWith("codex/event/")) return eventFault(oracle, message.params);
  const union =
    direction === "toServer"
      ? message.id === undefined
        ? "ClientNotification"
        : "ClientRequest"
      : message.id === undefined
        ? "ServerNotification"
        : "ServerRequest";
  const params = oracle.paramsOf.get(`${union} ${message.method}`);
  return params?.$ref === undefined ? undefined : fault(oracle, typeOf(params.$ref), message.params);
}

const typeOf = (ref: string): string => ref.replace("#/definitions/", "");

function resultFault(oracle: Oracle, direction: Direction, result: unknown, method: string): string | undefined {
  if (result === undefined) return undefined;
  const [union, tables] =
    direction === "toClient" ? (["ClientRequest", clientRequests] as const) : (["ServerRequest", serverRequests] as const);
  if (!oracle.paramsOf.has(`${union} ${method}`)) return undefined;
  const row = ({ ...tables, ...v1Requests, ...v1ServerRequests } as Readonly<Record<string, Request>>)[method];
  const title = row !== undefined && "result" in row ? jsonSchema(row.result()).title : undefined;
  if (title === undefined || title === "Empty") return undefined;
  const name = title.replace(/^v1\./, "");
  const type = title === name && oracle.check(`v2/${name}`) !== undefined ? `v2/${name}` : name;
  return fault(oracle, type, result);
}

function eventFault(oracle: Oracle, params: unknown): string | undefined {
  const msg = (params as { msg?: { type?: unknown } } | undefined)?.msg;
  return oracle.eventTypes.has(String(msg?.type)) ? fault(oracle, "EventMsg", msg) : undefined;
}

function fault(oracle: Oracle, type: string, value: unknown): string | undefined {
  const check = oracle.check(type);
  if (check === undefined) return undefined;
  const known = onlyKnownItems(value, oracle.itemTypes);
  if (known === unknownItem || check(known)) return undefined;
  const [first] = (check.errors ?? []).filter((error) => error.keyword !== "oneOf" && error.keyword !== "anyOf");
  return `${type}${first?.instancePath ?? ""}: ${first?.message ?? "does not fit"} ${JSON.stringify(first?.params ?? {})}`;
}

const unknownItem = Symbol("an item of a type that the version does not know");

/** The message without items of types that a version does not know; a message only about such an item is not checked. */
function onlyKnownItems(value: unknown, types: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { item } = value as { item?: { type?: unknown } };
  if (isItem(item) && !types.has(String(item.type))) return unknownItem;
  const walk = (given: unknown, key: string): unknown => {
    if (Array.isArray(given))
      return (key === "items" ? given.filter((one) => !isItem(one) || types.has(String(one.type))) : given).map((one) => walk(one, key));
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, walk(inner, name)]));
  };
  return walk(value, "");
}

/** Items have camelCase types; the model wire's items do not. */
const isItem = (value: unknown): value is { type: string } =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  "type" in value &&
  typeof value.type === "string" &&
  /^[a-z][A-Za-z]*$/.test(value.type);
