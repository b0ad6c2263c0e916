/** Generates values of a JSON Schema for property tests: everything the schema allows, small and odd. */
import fc from "fast-check";
import type { Printed } from "../oracle/versions.ts";

/** Below this depth, nested types are generated as short as allowed. */
const maxDepth = 6;

export function arbitraryOf(schema: Printed | boolean | undefined, bundle: Printed): fc.Arbitrary<unknown> {
  return make(schema, bundle, 0);
}

function make(schema: Printed | boolean | undefined, bundle: Printed, depth: number): fc.Arbitrary<unknown> {
  if (schema === undefined || typeof schema === "boolean") return anything;
  if (schema.$ref !== undefined) return ofType(schema.$ref, bundle, depth);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) {
    const base = schema.properties === undefined ? [] : [withoutChoices(schema)];
    const members = (depth >= maxDepth ? shortest(choices) : choices).map((choice) => both([...base, choice], bundle, depth));
    return fc.oneof(...members);
  }
  if (schema.allOf !== undefined) return both(schema.allOf, bundle, depth);
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => make({ ...schema, type }, bundle, depth)));
  return ofKind(schema, bundle, depth);
}

function ofType(ref: string, bundle: Printed, depth: number): fc.Arbitrary<unknown> {
  const name = ref.split("/").at(-1);
  if (name === "AbsolutePathBuf") return absolutePath;
  const found = ref
    .split("/")
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], bundle);
  if (found === undefined) throw new Error(`${ref} is not in the bundle`);
  return make(found as Printed, bundle, depth + 1);
}

function ofKind(schema: Printed, bundle: Printed, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: schema.minimum ?? -5, max: schema.format === "uint16" ? 65_535 : 2 ** 31 - 1 });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "string":
      return schema.minLength === undefined ? text : text.map((chars) => chars || "x");
    case "array":
      return depth >= maxDepth ? fc.constant([]) : fc.array(make(schema.items as Printed, bundle, depth + 1), { maxLength: 2 });
    case "object":
      return ofFields(schema, bundle, depth);
    default:
      return schema.properties === undefined ? anything : ofFields(schema, bundle, depth);
  }
}

function ofFields(
  { properties = {}, required = [], additionalProperties }: Printed,
  bundle: Printed,
  depth: number,
): fc.Arbitrary<unknown> {
  const keys = Object.keys(properties).filter((key) => depth < maxDepth || required.includes(key));
  const fields = Object.fromEntries(keys.map((key) => [key, make(properties[key], bundle, depth + 1)]));
  const named = fc.record(fields, { requiredKeys: [...required] });
  if (typeof additionalProperties !== "object") return named;
  const others = fc.dictionary(key, make(additionalProperties, bundle, depth + 1), { maxKeys: 2 });
  return fc.tuple(others, named).map(([rest, own]) => ({ ...rest, ...own }));
}

/** A value that fits all of several object types. */
function both(schemas: readonly Printed[], bundle: Printed, depth: number): fc.Arbitrary<unknown> {
  const parts = schemas.map((schema) => make(schema, bundle, depth));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values) as unknown);
}

const withoutChoices = ({ oneOf: _, anyOf: __, ...rest }: Printed): Printed => rest;

/** The members of a union that terminate soonest: those without references, or null. */
function shortest(choices: readonly Printed[]): readonly Printed[] {
  const plain = choices.filter((choice) => choice.$ref === undefined);
  return plain.length === 0 ? choices.slice(0, 1) : plain;
}

const key = fc.string({ maxLength: 6 });
const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("", "a", "/abs/path", "-x", "é😀", "2026-01-01"));
const absolutePath = fc.string({ maxLength: 8 }).map((name) => `/${name.replaceAll("\0", "")}`);
const anything = fc.jsonValue({ maxDepth: 2 });
