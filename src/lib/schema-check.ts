/** Checks a value against the part of JSON Schema that `schema.ts` writes, and reports errors in serde's wording. */

export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: "string" | "boolean" | "number" | "integer" | "null" | "array" | "object";
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
}

/** Never recurses deeper than the schema itself, so the depth of `value` does not matter. */
export function check(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((member) => check(member, value));
  if (schema.allOf !== undefined) return schema.allOf.every((member) => check(member, value));
  if (schema.enum !== undefined) return typeof value === "string" && schema.enum.includes(value);
  switch (schema.type) {
    case undefined:
      return true;
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value) && isWithin(schema, value as number);
    case "number":
      return Number.isFinite(value) && isWithin(schema, value as number);
    case "string":
      return typeof value === "string" && hasLength(schema, value);
    case "array":
      return Array.isArray(value) && checkItems(schema, value);
    case "object":
      return isObject(value) && checkFields(schema, value);
    default:
      return typeof value === schema.type;
  }
}

const isWithin = ({ minimum = -Infinity, maximum = Infinity }: JsonSchema, value: number): boolean => value >= minimum && value <= maximum;

/** In characters: those beyond the first plane are two units of a string. */
function hasLength({ minLength = 0, maxLength = Infinity }: JsonSchema, value: string): boolean {
  const { length } = value;
  if (length >= 2 * minLength && length <= maxLength) return true;
  if (length < minLength || length > 2 * maxLength) return false;
  const characters = [...value].length;
  return characters >= minLength && characters <= maxLength;
}

function checkItems({ items, minItems = 0, maxItems = Infinity }: JsonSchema, value: readonly unknown[]): boolean {
  if (value.length < minItems || value.length > maxItems) return false;
  if (items === undefined) return true;
  return value.every((item, i) => check(itemSchema(items, i), item));
}

function checkFields({ properties, required = [], additionalProperties }: JsonSchema, value: Record<string, unknown>): boolean {
  if (!required.every((key) => Object.hasOwn(value, key))) return false;
  if (additionalProperties !== undefined) return Object.keys(value).every((key) => check(additionalProperties, value[key]));
  if (properties === undefined) return true;
  // By the value's fields: a request has three of the thirty that its schema knows.
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(properties, key)) continue;
    const property = properties[key];
    if (property !== undefined && !isUnset(value, key, required) && !check(property, value[key])) return false;
  }
  return true;
}

/** The first error in `value`, with its path. Only for values that do not pass `check`. */
export function explain(schema: JsonSchema, value: unknown, path = ""): string {
  return fault(schema, value, path) ?? "data did not match the schema";
}

function fault(schema: JsonSchema, value: unknown, path: string): string | undefined {
  if (check(schema, value)) return undefined;
  if (schema.anyOf !== undefined) return unionFault(schema, schema.anyOf, value, path);
  if (schema.allOf !== undefined) return first(schema.allOf, (member) => fault(member, value, path));
  if (schema.enum !== undefined) return at(path, variantFault(value, schema.enum));
  if (schema.type === "string" && typeof value === "string") return lengthFault(schema, value, path === "" ? "the text" : path);
  if (schema.type === "array" && Array.isArray(value)) return itemFault(schema, value, path);
  if (schema.type === "object" && isObject(value)) return fieldFault(schema, value, path);
  if (schema.type === "object" && schema.title !== undefined && Array.isArray(value)) {
    const count = Object.keys(schema.properties ?? {}).length;
    return at(
      path,
      `invalid length ${value.length}, expected struct ${shortName(schema.title)} with ${count} element${count === 1 ? "" : "s"}`,
    );
  }
  const kind = schema.type === "integer" && Number.isInteger(value) ? "value" : "type";
  return at(path, `invalid ${kind}: ${describe(value)}, expected ${expected(schema)}`);
}

function lengthFault({ minLength = 0, maxLength = Infinity }: JsonSchema, value: string, name: string): string {
  if (value.length > maxLength) return `${name} must have at most ${maxLength} characters`;
  return value === "" ? `${name} must not be empty` : `${name} must have at least ${minLength} characters`;
}

function itemFault({ items, minItems = 0, maxItems = Infinity }: JsonSchema, value: readonly unknown[], path: string): string | undefined {
  if (value.length < minItems || value.length > maxItems)
    return at(path, `invalid length ${value.length}, expected an array of length ${lengthsOf(minItems, maxItems)}`);
  return items === undefined ? undefined : first(value, (item, i) => fault(itemSchema(items, i), item, `${path}[${i}]`));
}

const lengthsOf = (least: number, most: number): string => (least === most || most === Infinity ? `${least}` : `${least} to ${most}`);

function fieldFault(schema: JsonSchema, value: Record<string, unknown>, path: string): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const within = (key: string): string => (path === "" ? clip(key) : `${path}.${clip(key)}`);
  // Present fields are checked before missing ones are reported, as the real servers do.
  const wrong =
    additionalProperties === undefined
      ? first(Object.entries(properties), ([key, property]) =>
          isUnset(value, key, required) ? undefined : fault(property, value[key], within(key)),
        )
      : first(Object.keys(value), (key) => fault(additionalProperties, value[key], within(key)));
  if (wrong !== undefined) return wrong;
  const missing = required.find((key) => !Object.hasOwn(value, key));
  return missing === undefined ? undefined : at(path, `missing field \`${missing}\``);
}

/** Picks the union member that the value was meant to be: by its tag, by its single key, by its type. */
function unionFault(schema: JsonSchema, members: readonly JsonSchema[], value: unknown, path: string): string | undefined {
  const real = members.flatMap((m) => (m.type === "null" ? [] : m.anyOf !== undefined && m.title === undefined ? m.anyOf : [m]));
  const only = real.length === 1 ? real[0] : undefined;
  if (only !== undefined) return fault(only, value, path);
  if (real.every((m) => tagOf(m) !== undefined)) return taggedFault(schema, real, value, path);
  const literals = real.flatMap((m) => m.enum ?? []);
  const keyed = real.filter((m) => m.properties !== undefined && m.required?.length === 1);
  if (literals.length > 0 || keyed.length === real.length) {
    const keys = keyed.map((m) => m.required?.[0] ?? "");
    if (typeof value === "string" && literals.length > 0) return at(path, variantFault(value, [...literals, ...keys]));
    if (!isObject(value) || keyed.length === 0) return at(path, `invalid type: ${describe(value)}, expected string or map`);
    const chosen = keyed.find((m) => Object.hasOwn(value, m.required?.[0] ?? ""));
    if (chosen !== undefined) return fault(chosen, value, path);
    const [key] = Object.keys(value);
    return at(path, key === undefined ? "invalid value: map, expected map with a single key" : variantFault(key, [...literals, ...keys]));
  }
  const sameType = real.find((m) => m.type !== undefined && check({ type: m.type }, value));
  if (sameType !== undefined) return fault(sameType, value, path);
  return at(path, `invalid type: ${describe(value)}, expected ${real.map(expected).join(" or ")}`);
}

function taggedFault(schema: JsonSchema, members: readonly JsonSchema[], value: unknown, path: string): string | undefined {
  const key = tagOf(members[0] ?? {}) ?? "type";
  if (!isObject(value))
    return at(path, `invalid type: ${describe(value)}, expected internally tagged enum ${shortName(schema.title ?? "")}`);
  if (!Object.hasOwn(value, key)) return at(path, `missing field \`${key}\``);
  const tags = members.flatMap((m) => tagValues(m, key));
  const meant = members.filter((m) => tagValues(m, key).includes(value[key] as string));
  if (meant.length === 0) return at(path, variantFault(value[key], [...new Set(tags)]));
  if (meant.length === 1) return first(meant, (m) => fault(m, value, path));
  const near = meant.find((m) => (m.required ?? []).every((k) => Object.hasOwn(value, k)));
  const needed = meant.flatMap((m) => (m.required ?? []).filter((k) => !meant.every((other) => other.required?.includes(k))));
  return near === undefined ? at(path, `missing field ${needed.map((k) => `\`${k}\``).join(" or ")}`) : fault(near, value, path);
}

/** The key that distinguishes the members of a union: a required field with one fixed value. */
function tagOf(member: JsonSchema): string | undefined {
  const parts = member.allOf ?? [member];
  for (const part of parts)
    for (const key of ["type", "kind", "mode"]) if (part.required?.includes(key) && part.properties?.[key]?.enum !== undefined) return key;
  return undefined;
}
const tagValues = (member: JsonSchema, key: string): readonly string[] =>
  (member.allOf ?? [member]).flatMap((part) => part.properties?.[key]?.enum ?? []);

function variantFault(value: unknown, choices: readonly string[]): string {
  if (typeof value !== "string") return `invalid type: ${describe(value)}, expected string or map`;
  const names = choices.map((choice) => `\`${choice}\``);
  const list = names.length > 2 ? `one of ${names.join(", ")}` : names.join(" or ");
  return `unknown variant \`${clip(value)}\`, expected ${list}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return `string ${JSON.stringify(clip(value))}`;
  if (typeof value === "number") return `${Number.isInteger(value) ? "integer" : "floating point"} \`${value}\``;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  return Array.isArray(value) ? "sequence" : "map";
}

function expected(schema: JsonSchema): string {
  if (schema.enum !== undefined) return "string or map";
  switch (schema.type) {
    case "integer":
      if (schema.maximum !== undefined) return `a whole number from ${schema.minimum ?? "…"} to ${schema.maximum}`;
      return schema.minimum === undefined ? "i64" : schema.minimum === 0 ? "u32" : "a nonzero u32";
    case "number":
      return "f64";
    case "object":
      return schema.title === undefined || schema.additionalProperties !== undefined ? "a map" : `struct ${shortName(schema.title)}`;
    case "array":
      return "a sequence";
    case undefined:
      return schema.title === undefined ? "another shape" : shortName(schema.title);
    default:
      return schema.type === "null" ? "null" : `a ${schema.type}`;
  }
}

const maxQuoted = 200;
const clip = (text: string): string => (text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text);
const at = (path: string, text: string): string => (path === "" ? text : `${text} in \`${path}\``);
const shortName = (title: string): string => title.slice(title.lastIndexOf(".") + 1);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isUnset = (value: Record<string, unknown>, key: string, required: readonly string[]): boolean =>
  !Object.hasOwn(value, key) || (value[key] === undefined && !required.includes(key));
const itemSchema = (items: JsonSchema | readonly JsonSchema[], i: number): JsonSchema =>
  Array.isArray(items) ? (items[i] ?? {}) : (items as JsonSchema);

function first<T>(list: readonly T[], find: (entry: T, i: number) => string | undefined): string | undefined {
  for (const [i, entry] of list.entries()) {
    const found = find(entry, i);
    if (found !== undefined) return found;
  }
  return undefined;
}
