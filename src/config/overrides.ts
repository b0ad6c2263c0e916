/** Settings given with a command or a request instead of in a file. */
import { parseToml, TomlSyntaxError, type TomlTable } from "../lib/toml.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { mergeTables, nest, parseKeyPath } from "./merge.ts";

/** A request's settings: each key may be a dotted path, each value a table. Later keys win. */
export function overridesTable(overrides: Readonly<Record<string, unknown>>): TomlTable {
  let merged: TomlTable = {};
  for (const [key, value] of Object.entries(overrides)) {
    if (value !== null && value !== undefined) merged = mergeTables(merged, nest(keyParts(key), value));
  }
  return merged;
}

/** `-c key=value` flags, strongest last. The value is TOML; anything else is taken as a plain string. */
export function flagsTable(flags: readonly string[]): TomlTable {
  let merged: TomlTable = {};
  for (const flag of flags) {
    const at = flag.indexOf("=");
    if (at <= 0) throw invalidRequest(`-c ${flag}: expected key=value`);
    merged = mergeTables(merged, nest(keyParts(flag.slice(0, at)), flagValue(flag.slice(at + 1).trim())));
  }
  return merged;
}

function flagValue(text: string): unknown {
  try {
    return parseToml(`value = ${text}`)["value"];
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    return text.replace(/^(["'])(.*)\1$/s, "$2");
  }
}

function keyParts(key: string): string[] {
  const parts = parseKeyPath(key);
  if (!Array.isArray(parts)) throw invalidRequest(`invalid configuration in the command line or request: ${parts.wrong}`);
  return parts;
}
