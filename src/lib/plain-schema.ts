/** A schema as plain JSON Schema for external readers: without titles, without null for optional fields, with no fields but the named ones. */
import { type JsonSchema, jsonSchema, type Schema } from "./schema.ts";

type Plain = { readonly [key: string]: unknown };

export const plainSchema = (schema: Schema): Plain => plain(jsonSchema(schema));

function plain(schema: JsonSchema): Plain {
  const { title: _title, minimum: _minimum, anyOf, ...rest } = schema;
  const [only, ...more] = anyOf?.filter((member) => member.type !== "null") ?? [];
  if (only !== undefined) return more.length === 0 ? { ...plain(only), ...rest } : { ...rest, anyOf: [only, ...more].map(plain) };
  const { items, properties } = schema;
  if (items !== undefined && !isList(items)) return { ...rest, items: plain(items) };
  if (properties === undefined) return rest;
  const fields = Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, plain(field)]));
  return { ...rest, properties: fields, required: schema.required ?? [], additionalProperties: false };
}

const isList = (items: JsonSchema | readonly JsonSchema[]): items is readonly JsonSchema[] => Array.isArray(items);
