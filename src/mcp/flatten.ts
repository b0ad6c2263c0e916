/** Makes a tool's schema a single object: some vendors reject the whole request if allOf, oneOf or anyOf is at the top. */
import type { JsonObject } from "../core/ports/model-client.ts";

const maxDepth = 6;
const maxBranches = 64;
const maxAlternatives = 8;
const maxNote = 300;

/** A schema with its alternatives merged. */
interface Shape {
  readonly properties: Map<string, unknown>;
  readonly required: Set<string>;
}

/** Top-level keywords that only the server itself can check. */
const dropped = ["allOf", "oneOf", "anyOf", "not", "enum", "const", "if", "then", "else", "dependentSchemas", "dependentRequired", "$ref"];

/**
 * The same schema as one object with all properties. Properties required by every alternative stay required; a sentence lists which
 * arguments belong together. Everything that the server accepts remains possible, and the server still rejects what it does not accept.
 */
export function flattened(schema: JsonObject): JsonObject {
  if (!dropped.some((key) => Object.hasOwn(schema, key)) && schema["type"] === "object") return schema;
  const shape = shapeOf(schema, schema, 0);
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !dropped.includes(key)));
  const note = noteOn(schema);
  return {
    ...rest,
    type: "object",
    properties: Object.fromEntries(shape.properties),
    ...(shape.required.size === 0 ? {} : { required: [...shape.required] }),
    ...(note === "" ? {} : { description: [rest["description"], note].filter((text) => typeof text === "string").join(" ") }),
  };
}

function shapeOf(schema: unknown, root: JsonObject, depth: number): Shape {
  const shape: Shape = { properties: new Map(), required: new Set() };
  if (!isObject(schema) || depth > maxDepth) return shape;
  if (typeof schema["$ref"] === "string") add(shape, shapeOf(referred(schema["$ref"], root), root, depth + 1));
  if (isObject(schema["properties"])) for (const [name, of] of Object.entries(schema["properties"])) put(shape, name, of);
  for (const name of listOf(schema["required"])) if (typeof name === "string") shape.required.add(name);
  for (const part of listOf(schema["allOf"])) add(shape, shapeOf(part, root, depth + 1));
  for (const choice of [schema["oneOf"], schema["anyOf"]]) {
    const branches = listOf(choice).map((branch) => shapeOf(branch, root, depth + 1));
    for (const { properties } of branches) for (const [name, of] of properties) put(shape, name, of);
    const [first, ...others] = branches;
    for (const name of first?.required ?? []) if (others.every(({ required }) => required.has(name))) shape.required.add(name);
  }
  for (const name of shape.required) if (!shape.properties.has(name)) shape.required.delete(name);
  return shape;
}

function add(shape: Shape, { properties, required }: Shape): void {
  for (const [name, of] of properties) put(shape, name, of);
  for (const name of required) shape.required.add(name);
}

/** A property that several parts describe accepts any of their forms. */
function put({ properties }: Shape, name: string, of: unknown): void {
  const known = properties.get(name);
  if (known === undefined || JSON.stringify(known) === JSON.stringify(of)) {
    properties.set(name, of);
    return;
  }
  const forms = isAlternatives(known) ? known.anyOf : [known];
  if (forms.length >= maxAlternatives || forms.some((form) => JSON.stringify(form) === JSON.stringify(of))) return;
  properties.set(name, { anyOf: [...forms, of] });
}

const isAlternatives = (value: unknown): value is { anyOf: readonly unknown[] } =>
  isObject(value) && Object.keys(value).length === 1 && Array.isArray(value["anyOf"]);

/** Resolves `#/$defs/Name` and `#/definitions/Name`; other references are not followed. */
function referred(ref: string, root: JsonObject): unknown {
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const definitions = root[group];
  return isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** A sentence about which arguments belong together, if it is short enough. */
function noteOn(schema: JsonObject): string {
  const sets = [...listOf(schema["oneOf"]), ...listOf(schema["anyOf"])].map((branch) =>
    [...shapeOf(branch, schema, 1).required].join(" and "),
  );
  const distinct = [...new Set(sets.filter((set) => set !== ""))];
  const note = distinct.length < 2 ? "" : `Give one of: ${distinct.join("; ")}.`;
  return note.length > maxNote ? "" : note;
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, maxBranches) : []);
