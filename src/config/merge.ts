/** Merges tables of settings, and resolves dotted key paths in them. */
import { isTable, setOwn, type TomlTable } from "../lib/toml.ts";
import { quoteKey } from "./key.ts";
import type { Layer } from "./layers.ts";

/** `over` wins key by key; tables are merged, everything else is replaced. Inputs are not modified. */
export function mergeTables(base: TomlTable, over: TomlTable): TomlTable {
  const merged: TomlTable = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined || value === null) continue;
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    setOwn(merged, key, isTable(value) && isTable(below) ? mergeTables(below, value) : value);
  }
  return merged;
}

/**
 * Splits `projects."/a.b".trust_level` into its parts. Quotes work as in TOML keys.
 * Returns an error message instead when the path is invalid or names an object's internals such as `__proto__`.
 */
export function parseKeyPath(path: string): string[] | { readonly wrong: string } {
  const parts: string[] = [];
  let rest = path.trim();
  if (rest === "") return { wrong: "key path is empty" };
  for (;;) {
    const found = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^."'\s][^."']*))/.exec(rest);
    if (found === null) return { wrong: `key path \`${path}\` has an empty or unfinished part` };
    const part = found[1] !== undefined ? unescaped(found[1]) : (found[2] ?? (found[3] ?? "").trim());
    if (part === undefined) return { wrong: `key path \`${path}\` has a broken escape` };
    if (part === "__proto__" || part === "constructor" || part === "prototype")
      return { wrong: `key path part \`${part}\` is not allowed` };
    parts.push(part);
    rest = rest.slice(found[0].length).trimStart();
    if (rest === "") return parts;
    if (!rest.startsWith(".")) return { wrong: `key path \`${path}\` needs a dot after \`${part}\`` };
    rest = rest.slice(1).trimStart();
  }
}

function unescaped(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

export const formatKeyPath = (parts: readonly string[]): string => parts.map(quoteKey).join(".");

/** A table with one leaf, `parts` deep. */
export function nest(parts: readonly string[], value: unknown): TomlTable {
  const root: TomlTable = {};
  let here = root;
  for (const part of parts.slice(0, -1)) {
    const next: TomlTable = {};
    setOwn(here, part, next);
    here = next;
  }
  setOwn(here, parts.at(-1) ?? "", value);
  return root;
}

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, parts: readonly string[]): unknown {
  let here = root;
  for (const part of parts) {
    if (!isTable(here) || !Object.hasOwn(here, part)) return undefined;
    here = here[part];
  }
  return here;
}

/** Every leaf with its path; lists count by index, as clients of config/read expect. Empty tables and lists have no leaf. */
export function* leaves(value: unknown, path: readonly string[] = []): Generator<[path: readonly string[], value: unknown]> {
  if (isTable(value) || Array.isArray(value)) for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
  else yield [path, value];
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** The merged layers, weakest first; disabled ones do not count. */
export const mergeStack = (layers: readonly Layer[]): TomlTable =>
  layers.filter((layer) => layer.disabledReason === undefined).reduce<TomlTable>((merged, layer) => mergeTables(merged, layer.config), {});
