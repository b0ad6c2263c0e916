/** One value gives a TypeScript type, a check and a JSON Schema. The only file that knows the schema library. */
import type {
  Static,
  TArray,
  TBoolean,
  TInteger,
  TIntersect,
  TNull,
  TNumber,
  TObject,
  TOptional,
  TSchema,
  TString,
  TTuple,
  TUnion,
  TUnknown,
  TUnsafe,
} from "typebox";
import { check, explain, type JsonSchema } from "./schema-check.ts";

export type Schema = TSchema;
/** A schema that is built on first use, so that importing a table of many methods costs almost nothing. */
export type Lazy<T extends TSchema = TSchema> = () => T;
export type Infer<S> = S extends Lazy<infer T> ? Static<T> : S extends TSchema ? Static<S> : never;

// The builders write plain JSON Schema and borrow only the types of the library: its code, which takes tens of milliseconds
// to load, is fetched when the first schema turns out to be used often.
const schema = <T extends TSchema>(json: JsonSchema): T => json as unknown as T;
const json = (of: TSchema): JsonSchema => of as unknown as JsonSchema;
const optionalMark = Symbol("optional");

export const string = (): TString => schema({ type: "string" });
export const boolean = (): TBoolean => schema({ type: "boolean" });
export const number = (): TNumber => schema({ type: "number" });
export const integer = (): TInteger => schema({ type: "integer" });
/** A whole number of at least 0. */
export const natural = (): TInteger => schema({ type: "integer", minimum: 0 });
export const nothing = (): TNull => schema({ type: "null" });
export const unknown = (): TUnknown => schema({});
export const literals = <const V extends string[]>(...values: V): TUnsafe<V[number]> => schema({ type: "string", enum: values });
export const array = <T extends TSchema>(item: T): TArray<T> => schema({ type: "array", items: json(item) });
export const tuple = <T extends TSchema[]>(items: [...T]): TTuple<T> =>
  schema({ type: "array", items: items.map(json), minItems: items.length, maxItems: items.length });
/** Any keys, all values of one kind. */
export const record = <T extends TSchema>(value: T): TUnsafe<Record<string, Static<T>>> =>
  schema({ type: "object", additionalProperties: json(value) });
export const union = <T extends TSchema[]>(members: [...T]): TUnion<T> => schema({ anyOf: members.map(json) });
export const intersect = <T extends TSchema[]>(members: [...T]): TIntersect<T> => schema({ allOf: members.map(json) });
export const nullable = <T extends TSchema>(inner: T): TUnion<[T, TNull]> => union([inner, nothing()]);
export const optional = <T extends TSchema>(inner: T): TOptional<T> =>
  schema(Object.defineProperty({ ...json(inner) }, optionalMark, { value: true }));
/** May be absent or null: what the wire means by "not set". */
export const maybe = <T extends TSchema>(inner: T): TOptional<TUnion<[T, TNull]>> => optional(nullable(inner));

/** An object with these fields; others are let through, as the real servers do. */
export function object<T extends Record<string, TSchema>>(properties: T): TObject<T> {
  const required = Object.keys(properties).filter((key) => !(optionalMark in (properties[key] as object)));
  const base: JsonSchema = { type: "object", properties: properties as unknown as Record<string, JsonSchema> };
  return schema(required.length === 0 ? base : { ...base, required });
}

/** Gives a schema its public name (the JSON Schema `title`, under which generated files refer to it) and builds it once. */
export function named<T extends TSchema>(name: string, build: () => T): Lazy<T> {
  let built: T | undefined;
  return () => {
    built ??= schema<T>({ ...json(build()), title: name });
    return built;
  };
}

/** The schema as plain JSON Schema, for generators. Nested named schemas keep their `title`. */
export const jsonSchema = (of: TSchema): JsonSchema => json(of);

type Checker = (value: unknown) => boolean;
interface Use {
  times: number;
  compiled: Checker | undefined;
}
/** A schema used this often is worth compiling. */
const often = 4;
/** Memory only: what is in here never changes an answer. */
const uses = new WeakMap<TSchema, Use>();

/** Whether `value` fits. The first checks of a schema are interpreted; one that is used often is compiled, after the answer is on its way. */
export function fits(of: TSchema, value: unknown): boolean {
  const use = uses.get(of) ?? { times: 0, compiled: undefined };
  if (use.times === 0) uses.set(of, use);
  if (use.compiled !== undefined) return use.compiled(value);
  if (++use.times === often) compileSoon(of, use);
  return check(json(of), value);
}

function compileSoon(of: TSchema, use: Use): void {
  setTimeout(() => {
    compile(of).then(
      (checker) => {
        use.compiled = checker;
      },
      () => undefined, // no compiler here: the interpreter goes on
    );
  }, 0);
}

/** The same check as generated code, about ten times faster than interpreting. */
export async function compile(of: TSchema): Promise<Checker> {
  const { Compile } = await import("typebox/schema");
  const validator = Compile(json(of) as object);
  return (value) => validator.Check(value);
}

/** Narrows data from outside; undefined when it does not fit. */
export function parse<T extends TSchema>(of: Lazy<T>, value: unknown): Static<T> | undefined {
  return fits(of(), value) ? (value as Static<T>) : undefined;
}

/** Why `value` does not fit, in the words that the real server's clients already match on; undefined when it fits. */
export function problem(of: TSchema, value: unknown): string | undefined {
  return fits(of, value) ? undefined : explain(json(of), value);
}

export type { JsonSchema };
