/** One definition gives a TypeScript type, a check and a JSON Schema. The only file that imports the schema library. */
import { check, explain, type JsonSchema } from "./schema-check.ts";

/** A schema for values of type T. At run time it is plain JSON Schema; the type is for the compiler only. */
export interface Schema<T = unknown> {
  readonly "~type": T;
}
/** A schema of an optional field. */
export interface OptionalSchema<T = unknown> extends Schema<T> {
  readonly "~optional": true;
}
/** A schema that is built on first use, so that importing a table of many methods costs almost nothing. */
export type Lazy<S extends Schema = Schema> = () => S;
/** The type of the values that match. */
export type Infer<S> = S extends Lazy<infer T> ? T["~type"] : S extends Schema ? S["~type"] : never;

type Fields = Readonly<Record<string, Schema>>;
type OptionalKeys<P> = { [K in keyof P]: P[K] extends OptionalSchema ? K : never }[keyof P];
type ObjectOf<P extends Fields> = Flat<
  { -readonly [K in Exclude<keyof P, OptionalKeys<P>>]: P[K]["~type"] } & { -readonly [K in OptionalKeys<P>]?: P[K]["~type"] }
>;
type Flat<T> = { [K in keyof T]: T[K] };
type TypesOf<S extends readonly Schema[]> = { -readonly [I in keyof S]: S[I]["~type"] };
type AllOf<S extends readonly Schema[]> = S extends readonly [infer H extends Schema, ...infer R extends readonly Schema[]]
  ? H["~type"] & AllOf<R>
  : unknown;

const schema = <S extends Schema>(json: JsonSchema): S => json as unknown as S;
const json = (of: Schema): JsonSchema => of as unknown as JsonSchema;
const optionalMark = Symbol("optional");

export const string = (): Schema<string> => schema({ type: "string" });
/** A string of at least one character. */
export const filledString = (): Schema<string> => schema({ type: "string", minLength: 1 });
export const boolean = (): Schema<boolean> => schema({ type: "boolean" });
export const number = (): Schema<number> => schema({ type: "number" });
export const integer = (): Schema<number> => schema({ type: "integer" });
/** An integer of at least 0. */
export const natural = (): Schema<number> => schema({ type: "integer", minimum: 0 });
export const positive = (): Schema<number> => schema({ type: "integer", minimum: 1 });
export const nothing = (): Schema<null> => schema({ type: "null" });
export const unknown = (): Schema<unknown> => schema({});
export const literals = <const V extends string[]>(...values: V): Schema<V[number]> => schema({ type: "string", enum: values });
export const array = <T>(item: Schema<T>): Schema<T[]> => schema({ type: "array", items: json(item) });
export const tuple = <const S extends readonly Schema[]>(items: S): Schema<TypesOf<S>> =>
  schema({ type: "array", items: items.map(json), minItems: items.length, maxItems: items.length });
/** Any keys, all values of one kind. */
export const record = <T>(value: Schema<T>): Schema<Record<string, T>> => schema({ type: "object", additionalProperties: json(value) });
export const union = <const S extends readonly Schema[]>(members: S): Schema<S[number]["~type"]> => schema({ anyOf: members.map(json) });
export const intersect = <const S extends readonly Schema[]>(members: S): Schema<AllOf<S>> => schema({ allOf: members.map(json) });
export const nullable = <T>(inner: Schema<T>): Schema<T | null> => union([inner, nothing()]);
export const optional = <T>(inner: Schema<T>): OptionalSchema<T> =>
  schema(Object.defineProperty({ ...json(inner) }, optionalMark, { value: true }));
/** May be absent or null: "not set" on the wire. */
export const maybe = <T>(inner: Schema<T>): OptionalSchema<T | null> => optional(nullable(inner));

/** A schema with a description, for models and generated documents. Goes inside `maybe` and `optional`. */
export const described = <T>(inner: Schema<T>, description: string): Schema<T> => schema({ ...json(inner), description });

/** An object with these fields; additional ones are accepted, as the real servers do. */
export function object<P extends Fields>(properties: P): Schema<ObjectOf<P>> {
  const required = Object.keys(properties).filter((key) => !(optionalMark in (properties[key] as object)));
  const base: JsonSchema = { type: "object", properties: properties as unknown as Record<string, JsonSchema> };
  return schema(required.length === 0 ? base : { ...base, required });
}

/** Gives a schema its public name (the JSON Schema `title`, by which generated files refer to it) and builds it once. */
export const named = <S extends Schema>(name: string, build: () => S): Lazy<S> => once(() => schema<S>({ ...json(build()), title: name }));

/** Builds a schema on first use, without a name. */
export function once<S extends Schema>(build: () => S): Lazy<S> {
  let built: S | undefined;
  return () => {
    built ??= build();
    return built;
  };
}

/** The schema as plain JSON Schema, for generators. Nested named schemas keep their `title`. */
export const jsonSchema = (of: Schema): JsonSchema => json(of);

type Checker = (value: unknown) => boolean;
interface Use {
  times: number;
  compiled: Checker | undefined;
}
/**
 * A schema used this often is worth compiling: that takes ten milliseconds, and fifty more for the first one, while a check that is not
 * compiled takes five microseconds more.
 */
const often = 2_000;
/** A cache only: it never changes a result. */
const uses = new WeakMap<Schema, Use>();

/** Whether `value` matches. The first checks of a schema are interpreted; one that is used often is compiled after the result was returned. */
export function fits(of: Schema, value: unknown): boolean {
  const use = uses.get(of) ?? { times: 0, compiled: undefined };
  if (use.times === 0) uses.set(of, use);
  if (use.compiled !== undefined) return use.compiled(value);
  if (++use.times === often) compileSoon(of, use);
  return check(json(of), value);
}

/** The same for schemas that are checked a few times only, as when files are read: never worth loading the compiler. */
export const fitsOnce = (of: Schema, value: unknown): boolean => check(json(of), value);

function compileSoon(of: Schema, use: Use): void {
  setTimeout(() => {
    compile(of).then(
      (checker) => {
        use.compiled = checker;
      },
      () => undefined, // no compiler here: keep interpreting
    );
  }, 0);
}

/** The same check as generated code. The library that writes it takes tens of milliseconds to load, so nothing else here needs it. */
export async function compile(of: Schema): Promise<Checker> {
  const { Compile } = await import("typebox/schema");
  const validator = Compile(json(of) as object);
  return (value) => validator.Check(value);
}

/** Narrows external data; undefined when it does not match. */
export function parse<T>(of: Lazy<Schema<T>>, value: unknown): T | undefined {
  return fits(of(), value) ? (value as T) : undefined;
}

/** Why `value` does not match, in the wording that the real server's clients already parse; undefined when it matches. */
export function problem(of: Schema, value: unknown): string | undefined {
  return fits(of, value) ? undefined : explain(json(of), value);
}

export type { JsonSchema };
