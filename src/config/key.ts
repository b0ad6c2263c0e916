/** The kinds of rows in the table of config keys. From one row come the check of a file, the search for unknown keys and the document. */
import { object, optional, type Schema, unknown } from "../lib/schema.ts";
import { isTable } from "../lib/toml.ts";

export interface KeyFacts {
  /** What a reader of the document needs to know, in one or two sentences. */
  readonly says: string;
  /** Printed in the document; the code that uses the value holds it. */
  readonly standard?: string;
  /** Why the value is accepted and changes nothing. */
  readonly unused?: string;
  /** Known because other programs that share the file use it; not in the document. */
  readonly foreign?: true;
  /** The one value that is as things are here. */
  readonly holds?: unknown;
  /** Nothing that the user asked of this server is lost with it, so that nothing needs to be said. */
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
  /** What the names stand for: `model_providers.<id>`. */
  readonly name: string;
  readonly of: Key;
}
export type Key = Value | Table | Named;
export type Keys = Readonly<Record<string, Key>>;

type More = Omit<KeyFacts, "says">;
export const value = (shape: () => Schema, says: string, more: More = {}): Value => ({ kind: "value", shape, says, ...more });
export const table = (says: string, keys: Keys, more: More = {}): Table => ({ kind: "table", says, keys, ...more });
export const named = (says: string, name: string, of: Key, more: More = {}): Named => ({ kind: "named", says, name, of, ...more });
/** Anything goes: passed on to the one part that reads it, or kept for other programs that share the file. */
export const free = (says: string, more: More = {}): Value => value(unknown, says, more);

/** The schema for the part of a row that `data` touches: building all of it would cost more than reading the file. */
export function schemaFor(key: Key, data: unknown): Schema {
  if (key.kind === "value") return key.shape();
  const present = isTable(data) ? Object.entries(data) : [];
  const rows = present.map(([name, item]) => {
    const inner = key.kind === "named" ? key.of : Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
    return [name, optional(inner === undefined ? unknown() : schemaFor(inner, item))] as const;
  });
  return object(Object.fromEntries(rows));
}

/** Dotted paths of keys that the table does not know. */
export function unknownKeys(key: Key, data: unknown, path = ""): string[] {
  if (key.kind === "value" || !isTable(data)) return [];
  return Object.entries(data).flatMap(([name, item]) => {
    const here = path === "" ? quoteKey(name) : `${path}.${quoteKey(name)}`;
    if (key.kind === "named") return unknownKeys(key.of, item, here);
    const inner = Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
    return inner === undefined ? [here] : unknownKeys(inner, item, here);
  });
}

/** Dotted paths of keys that are known and change nothing here, although their owner may count on them. */
export function keysWithoutEffect(key: Key, data: unknown, path = ""): string[] {
  if (key.quiet === true || (key.holds !== undefined && key.holds === data)) return [];
  if (key.unused !== undefined || key.foreign === true) return [path];
  if (key.kind === "value" || !isTable(data)) return [];
  return Object.entries(data).flatMap(([name, item]) => {
    const inner = key.kind === "named" ? key.of : Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
    return inner === undefined ? [] : keysWithoutEffect(inner, item, path === "" ? quoteKey(name) : `${path}.${quoteKey(name)}`);
  });
}

/** A key as it is written in TOML. */
export const quoteKey = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));
