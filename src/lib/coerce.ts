/** Converts a value to the types that a JSON Schema requires, where there is only one way to do it: "5000" to a number, JSON text to a list. */
import { repairJson } from "./repair-json.ts";

type Json = Readonly<Record<string, unknown>>;

const maxDepth = 16;

/** Values that already fit, and values that cannot be converted, are returned unchanged: the check that follows reports what is wrong. */
export function coerced(schema: unknown, value: unknown, depth = 0): unknown {
  if (!isJson(schema) || depth > maxDepth) return value;
  const members = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(members)) return fromMembers(members, value, depth);
  const types = typesOf(schema);
  if (types.length === 0) return value;
  const own = types.find((type) => isOf(type, value));
  if (own !== undefined) return inner(schema, value, depth);
  for (const type of types) {
    const made = converted(type, value, schema, depth);
    if (made !== undefined) return inner(schema, made, depth);
  }
  return value;
}

function fromMembers(members: readonly unknown[], value: unknown, depth: number): unknown {
  const fitting = members.find((member) => isJson(member) && typesOf(member).some((type) => isOf(type, value)));
  if (fitting !== undefined) return coerced(fitting, value, depth + 1);
  for (const member of members) {
    const made = coerced(member, value, depth + 1);
    if (made !== value) return made;
  }
  return value;
}

function typesOf(schema: Json): readonly string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  if (isJson(schema["properties"])) return ["object"];
  return Array.isArray(schema["enum"]) && schema["enum"].every((choice) => typeof choice === "string") ? ["string"] : [];
}

function isOf(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJson(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function converted(type: string, value: unknown, schema: Json, depth: number): unknown {
  switch (type) {
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
    case "integer":
    case "number": {
      const number = typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
      if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
      return type === "integer" ? Math.round(number) : number;
    }
    case "boolean":
      return booleanFrom(value);
    case "array":
      return listFrom(value, schema, depth);
    case "object":
      return typeof value === "string" ? ofType("object", textAsJson(value)) : undefined;
    case "null":
      return value === "null" || value === "None" ? null : undefined;
    default:
      return undefined;
  }
}

function booleanFrom(value: unknown): boolean | undefined {
  if (value === 1 || value === 0) return value === 1;
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  return text === "true" ? true : text === "false" ? false : undefined;
}

/** JSON text of a list, or a single element instead of a list of one. */
function listFrom(value: unknown, schema: Json, depth: number): unknown[] | undefined {
  const read = typeof value === "string" ? ofType("array", textAsJson(value)) : undefined;
  if (Array.isArray(read)) return read;
  const { items } = schema;
  const types = isJson(items) ? typesOf(items) : [];
  const element = coerced(items, value, depth + 1);
  return types.some((type) => isOf(type, element)) ? [element] : undefined;
}

const textAsJson = (text: string): unknown => (/^\s*[[{`]/.test(text) ? repairJson(text)?.value : undefined);
const ofType = (type: string, value: unknown): unknown => (isOf(type, value) ? value : undefined);

/** Converts the members of a value whose own type is right. */
function inner(schema: Json, value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return isJson(schema["items"]) ? value.map((item) => coerced(schema["items"], item, depth + 1)) : value;
  if (typeof value === "string") return enumValue(schema["enum"], value);
  if (!isJson(value) || !isJson(schema["properties"])) return value;
  const { properties } = schema;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const of = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (of === undefined) return [[key, field]];
    if (isUnset(field, of) && !required.includes(key)) return [];
    return [[key, coerced(of, field, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

/** Null, or an empty string instead of a number, for an optional field. */
function isUnset(value: unknown, schema: unknown): boolean {
  if (!isJson(schema)) return false;
  const members = [schema["anyOf"], schema["oneOf"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const types = [schema, ...members].flatMap((member) => (isJson(member) ? typesOf(member) : []));
  if (types.length === 0) return false;
  return (value === null && !types.includes("null")) || (value === "" && !types.includes("string"));
}

/** An enum value in different case, or with spaces or hyphens instead of underscores. */
function enumValue(list: unknown, value: string): string {
  if (!Array.isArray(list) || list.includes(value)) return value;
  const plain = (choice: unknown): string =>
    String(choice)
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_");
  const found = list.filter((choice) => typeof choice === "string" && plain(choice) === plain(value));
  return found.length === 1 ? found[0] : value;
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
