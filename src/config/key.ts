/** The kinds of rows in the table of config keys. Validation, the search for unknown keys and the document are derived from one row. */
import { object, optional, type Schema, unknown } from "../lib/schema.ts";
import { isTable } from "../lib/toml.ts";

export interface KeyFacts {
  /** One or two sentences for readers of the document. */
  readonly text: string;
  /** Printed in the document; the code that uses the value defines it. */
  readonly standard?: string;
  /** Why the value is accepted but has no effect. */
  readonly unused?: string;
  /** Known because other programs that share the file use it; not in the document. */
  readonly foreign?: true;
  /** The only value that matches how this server behaves. */
  readonly holds?: unknown;
  /** Ignoring it loses nothing that the user requested of this server, so that no warning is needed. */
  readonly quiet?: true;
}
export interface Value extends KeyFacts {
  readonly kind: "value";
  readonly shape: () => Schema;
}
export interface Table extends KeyFacts {
  readonly kind: "table";
  readonly keys: Keys;
}
export interface Named extends KeyFacts {
  readonly kind: "named";
  /** The meaning of the names: `model_providers.<id>`. */
  readonly name: string;
  readonly of: Key;
}
export type Key = Value | Table | Named;
export type Keys = Readonly<Record<string, Key>>;

type More = Omit<KeyFacts, "text">;
export const value = (shape: () => Schema, text: string, more: More = {}): Value => ({ kind: "value", shape, text, ...more });
export const table = (text: string, keys: Keys, more: More = {}): Table => ({ kind: "table", text, keys, ...more });
export const named = (text: string, name: string, of: Key, more: More = {}): Named => ({ kind: "named", text, name, of, ...more });
/** Accepts anything: passed on to the one part that reads it, or kept for other programs that share the file. */
export const free = (text: string, more: More = {}): Value => value(unknown, text, more);

/** The schema for the part of a row that `data` uses: building all of it would cost more than reading the file. */
export function schemaFor(key: Key, data: unknown): Schema {
  if (key.kind === "value") return key.shape();
  const present = isTable(data) ? Object.entries(data) : [];
  const rows = present.map(([name, item]) => {
    const inner = key.kind === "named" ? key.of : Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
    return [name, optional(inner === undefined ? unknown() : schemaFor(inner, item))] as const;
  });
  return object(Object.fromEntries(rows));
}

/** Dotted paths of keys that are not in the table. */
export function unknownKeys(key: Key, data: unknown, path = ""): string[] {
  if (key.kind === "value" || !isTable(data)) return [];
  return Object.entries(data).flatMap(([name, item]) => {
    const here = path === "" ? quoteKey(name) : `${path}.${quoteKey(name)}`;
    if (key.kind === "named") return unknownKeys(key.of, item, here);
    const inner = Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
    return inner === undefined ? [here] : unknownKeys(inner, item, here);
  });
}

/** Dotted paths of keys that are known and have no effect here, although the user may rely on them. */
export function keysWithoutEffect(key: Key, data: unknown, path = ""): string[] {
  if (key.quiet === true || (key.holds !== undefined && key.holds === data)) return [];
  if (key.unused !== undefined || key.foreign === true) return [path];
  if (key.kind === "value" || !isTable(data)) return [];
  return Object.entries(data).flatMap(([name, item]) => {
    const inner = key.kind === "named" ? key.of : Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
    return inner === undefined ? [] : keysWithoutEffect(inner, item, path === "" ? quoteKey(name) : `${path}.${quoteKey(name)}`);
  });
}

/** A key in TOML syntax. */
export const quoteKey = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));
