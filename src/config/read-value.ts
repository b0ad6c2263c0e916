/** Typed reads from a validated table; undefined where a key is not set. */
import { isTable, type TomlTable } from "../lib/toml.ts";

const own = (table: TomlTable, key: string): unknown => (Object.hasOwn(table, key) ? table[key] : undefined);

export function text(table: TomlTable, key: string): string | undefined {
  const value = own(table, key);
  return typeof value === "string" ? value : undefined;
}
export function count(table: TomlTable, key: string): number | undefined {
  const value = own(table, key);
  return typeof value === "number" ? value : undefined;
}
export function bool(table: TomlTable, key: string): boolean | undefined {
  const value = own(table, key);
  return typeof value === "boolean" ? value : undefined;
}
export function list(table: TomlTable, key: string): readonly string[] | undefined {
  const value = own(table, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}
export function texts(table: TomlTable, key: string): Readonly<Record<string, string>> | undefined {
  const value = own(table, key);
  if (!isTable(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
/** An empty table if there is none. */
export function tableAt(table: TomlTable, key: string): TomlTable {
  const value = own(table, key);
  return isTable(value) ? value : {};
}
/** Switches: true, false, or a table of options that may contain `enabled`. */
export function flags(table: TomlTable): Readonly<Record<string, boolean>> {
  const found: [string, boolean][] = [];
  for (const [name, value] of Object.entries(table)) {
    const on = isTable(value) ? (bool(value, "enabled") ?? true) : value;
    if (typeof on === "boolean") found.push([name, on]);
  }
  return Object.fromEntries(found);
}
