/** Parses TOML and reports where it is broken, for every part that reads settings from files. */
import { parse, TomlError } from "smol-toml";

export type TomlTable = { [key: string]: unknown };

/** Where and why a text is not valid TOML. Lines and columns count from 1. */
export class TomlSyntaxError extends Error {
  readonly line: number;
  readonly column: number;
  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/**
 * The value of a TOML text as plain JSON data: dates become strings.
 * Throws TomlSyntaxError. Keys such as `__proto__` stay ordinary own keys; code that copies tables must keep them so.
 */
export function parseToml(text: string): TomlTable {
  try {
    return plainTable(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = "not valid TOML"] = error.message.split("\n");
    throw new TomlSyntaxError(first.replace(/^Invalid TOML document: /, ""), error.line, error.column);
  }
}

function plainTable(table: object): TomlTable {
  const copy: TomlTable = {};
  for (const [key, value] of Object.entries(table)) setOwn(copy, key, plain(value));
  return copy;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" && value !== null ? plainTable(value) : value;
}

/** Sets an own property whatever its name is, so that `__proto__` cannot reach the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

export const isTable = (value: unknown): value is TomlTable => typeof value === "object" && value !== null && !Array.isArray(value);
