/** One value gives a TypeScript type, a check and a JSON Schema. The only file that knows the schema library. */
import {
  Array as ArrayOf,
  Boolean as BooleanType,
  Integer,
  Intersect,
  Null,
  Number as NumberType,
  Object as ObjectType,
  Optional,
  Record as RecordOf,
  type Static,
  String as StringType,
  type TSchema,
  Tuple,
  Union,
  Unknown,
  Unsafe,
} from "typebox";
import { Check } from "typebox/value";

export type Schema = TSchema;
/** A schema that is built on first use, so that importing a table of many methods costs almost nothing. */
export type Lazy<T extends TSchema = TSchema> = () => T;
export type Infer<S> = S extends Lazy<infer T> ? Static<T> : S extends TSchema ? Static<S> : never;

export const string = (): ReturnType<typeof StringType> => StringType();
export const boolean = (): ReturnType<typeof BooleanType> => BooleanType();
export const number = (): ReturnType<typeof NumberType> => NumberType();
export const integer = (): ReturnType<typeof Integer> => Integer();
/** A whole number of at least 0. */
export const natural = (): ReturnType<typeof Integer> => Integer({ minimum: 0 });
export const nothing = (): ReturnType<typeof Null> => Null();
export const unknown = (): ReturnType<typeof Unknown> => Unknown();
export const literals = <const V extends string[]>(...values: V) => Unsafe<V[number]>({ type: "string", enum: values });
export const array = <T extends TSchema>(item: T) => ArrayOf(item);
export const tuple = <T extends TSchema[]>(items: [...T]) => Tuple(items);
export const record = <T extends TSchema>(value: T) => RecordOf(StringType(), value);
export const object = <T extends Record<string, TSchema>>(properties: T) => ObjectType(properties);
export const union = <T extends TSchema[]>(members: [...T]) => Union(members);
export const intersect = <T extends TSchema[]>(members: [...T]) => Intersect(members);
export const nullable = <T extends TSchema>(inner: T) => Union([inner, Null()]);
export const optional = <T extends TSchema>(inner: T) => Optional(inner);
/** May be absent or null: what the wire means by "not set". */
export const maybe = <T extends TSchema>(inner: T) => Optional(Union([inner, Null()]));

/** Gives a schema its public name (the JSON Schema `title`, under which generated files refer to it) and builds it once. */
export function named<T extends TSchema>(name: string, build: () => T): Lazy<T> {
  let built: T | undefined;
  return () => {
    built ??= { ...build(), title: name } as T;
    return built;
  };
}

type Checker = (value: unknown) => boolean;
const compiled = new WeakMap<TSchema, Checker>();
const seen = new WeakSet<TSchema>();
let compile: ((schema: TSchema) => { Check: Checker }) | undefined;

/** Whether `value` fits. The first check of a schema is interpreted; a schema that is used again is compiled, off the first answer's path. */
export function fits(schema: TSchema, value: unknown): boolean {
  const checker = compiled.get(schema);
  if (checker !== undefined) return checker(value);
  if (!seen.has(schema)) seen.add(schema);
  else if (compile === undefined) void loadCompiler();
  else {
    const fresh = compile(schema);
    compiled.set(schema, (v) => fresh.Check(v));
  }
  return Check(schema, value);
}

let loading: Promise<void> | undefined;
function loadCompiler(): Promise<void> {
  loading ??= import("typebox/compile").then((module) => {
    compile = module.Compile as unknown as typeof compile;
  });
  return loading;
}

/** Narrows data from outside; undefined when it does not fit. */
export function parse<T extends TSchema>(schema: Lazy<T>, value: unknown): Static<T> | undefined {
  return fits(schema(), value) ? (value as Static<T>) : undefined;
}

/** Why `value` does not fit, in the words that the real server's clients already match on; undefined when it fits. */
export function problem(schema: TSchema, value: unknown): string | undefined {
  return fits(schema, value) ? undefined : (explain(schema, value, "") ?? "params do not match the schema");
}

interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  required?: readonly string[];
  items?: JsonSchema | readonly JsonSchema[];
  minimum?: number;
  title?: string;
}

function explain(schema: JsonSchema, value: unknown, path: string): string | undefined {
  if (schema.anyOf !== undefined) return explainUnion(schema.anyOf, value, path);
  if (schema.allOf !== undefined) return schema.allOf.map((part) => explain(part, value, path)).find((p) => p !== undefined);
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (choices !== undefined) return choices.includes(value) ? undefined : at(path, wrongVariant(value, choices));
  if (schema.type === undefined) return undefined;
  if (!isOfType(value, schema)) return at(path, `invalid type: ${describe(value)}, expected ${expected(schema)}`);
  if (schema.type === "array" && !Array.isArray(schema.items)) {
    for (const [i, item] of (value as unknown[]).entries()) {
      const found = explain((schema.items ?? {}) as JsonSchema, item, `${path}[${i}]`);
      if (found !== undefined) return found;
    }
  }
  return schema.type === "object" ? explainObject(schema, value as Record<string, unknown>, path) : undefined;
}

function explainObject(schema: JsonSchema, value: Record<string, unknown>, path: string): string | undefined {
  for (const key of schema.required ?? []) if (!Object.hasOwn(value, key)) return at(path, `missing field \`${key}\``);
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, key) || value[key] === undefined) continue;
    const found = explain(property, value[key], path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  for (const property of Object.values(schema.patternProperties ?? {}))
    for (const [key, item] of Object.entries(value)) {
      const found = explain(property, item, path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
  return undefined;
}

function explainUnion(members: readonly JsonSchema[], value: unknown, path: string): string | undefined {
  if (members.some((m) => explain(m, value, path) === undefined)) return undefined;
  const real = members.filter((m) => m.type !== "null");
  const only = real.length === 1 ? real[0] : undefined;
  if (only !== undefined) return explain(only, value, path);
  const tags = real.map((m) => m.properties?.["type"]).filter((t) => t !== undefined);
  if (tags.length > 0 && typeof value === "object" && value !== null) {
    const tag = (value as Record<string, unknown>)["type"];
    if (tag === undefined) return at(path, "missing field `type`");
    const chosen = real.find((m) => explain(m.properties?.["type"] ?? {}, tag, "") === undefined && m.properties?.["type"] !== undefined);
    return chosen === undefined ? at(path, wrongVariant(tag, tags.flatMap(choicesOf))) : explain(chosen, value, path);
  }
  const words = real.flatMap(choicesOf);
  if (typeof value === "string" && words.length > 0) return at(path, wrongVariant(value, words));
  const sameType = real.find((m) => isOfType(value, m) && m.type !== undefined);
  return sameType === undefined
    ? at(path, `invalid type: ${describe(value)}, expected ${real.map(expected).join(" or ")}`)
    : explain(sameType, value, path);
}

const choicesOf = (s: JsonSchema): readonly unknown[] => s.enum ?? (s.const === undefined ? [] : [s.const]);
const at = (path: string, text: string): string => (path === "" ? text : `${text} in \`${path}\``);

function wrongVariant(value: unknown, choices: readonly unknown[]): string {
  const list = choices.map((c) => `\`${String(c)}\``).join(", ");
  if (typeof value !== "string") return `invalid type: ${describe(value)}, expected ${choices.length === 1 ? list : `one of ${list}`}`;
  return `unknown variant \`${value.slice(0, 200)}\`, expected ${choices.length === 1 ? list : `one of ${list}`}`;
}

function isOfType(value: unknown, schema: JsonSchema): boolean {
  switch (schema.type) {
    case undefined:
      return true;
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value) && (schema.minimum === undefined || (value as number) >= schema.minimum);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === schema.type;
  }
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `string ${JSON.stringify(value.slice(0, 200))}`;
  if (typeof value === "number") return `${Number.isInteger(value) ? "integer" : "floating point"} \`${value}\``;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  return Array.isArray(value) ? "sequence" : "map";
}

function expected(schema: JsonSchema): string {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map((c) => `\`${String(c)}\``).join(", ");
  if (schema.type === "integer") return schema.minimum === 0 ? "a non-negative integer" : "an integer";
  if (schema.type === "object") return schema.title === undefined ? "a map" : `struct ${schema.title}`;
  if (schema.type === "array") return "a sequence";
  return schema.type === undefined ? "another shape" : `a ${schema.type}`;
}
