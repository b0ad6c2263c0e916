/** Writes values as TOML text. */
import { isTable, type TomlTable } from "../lib/toml.ts";
import { quoteKey } from "./key.ts";

/** A value on one line: tables and lists inline. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return formatString(value);
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(formatValue).join(", ")}]`;
  if (!isTable(value)) throw new TypeError(`TOML has no ${value === null ? "null" : typeof value}`);
  const entries = Object.entries(value);
  return entries.length === 0 ? "{}" : `{ ${entries.map(([key, inner]) => `${quoteKey(key)} = ${formatValue(inner)}`).join(", ")} }`;
}

/** JSON's escapes are valid in TOML, except DEL, which TOML requires escaped, and lone surrogates, which it cannot represent. */
const formatString = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");

function formatNumber(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A list that is better written as one `[[section]]` per entry. */
export const isListOfTables = (value: unknown): value is TomlTable[] => Array.isArray(value) && value.length > 0 && value.every(isTable);

/** The lines of a table as sections of their own, its plain keys first. */
export function formatSections(path: readonly string[], table: TomlTable, brackets: "[" | "[[" = "["): string[] {
  const name = path.map(quoteKey).join(".");
  const plain = Object.entries(table).filter(([, value]) => !isTable(value) && !isListOfTables(value));
  const deep = Object.entries(table).filter(([, value]) => isTable(value) || isListOfTables(value));
  const own = [
    `${brackets}${name}${brackets === "[" ? "]" : "]]"}`,
    ...plain.map(([key, value]) => `${quoteKey(key)} = ${formatValue(value)}`),
  ];
  const needed = brackets === "[[" || plain.length > 0 || deep.length === 0;
  const lines = needed ? own : [];
  for (const [key, value] of deep) {
    const inner = isTable(value)
      ? formatSections([...path, key], value)
      : (Array.isArray(value) ? value : []).flatMap((item) => (isTable(item) ? spaced(formatSections([...path, key], item, "[[")) : []));
    lines.push(...(lines.length > 0 && inner[0] !== "" ? [""] : []), ...inner);
  }
  return lines;
}

const spaced = (lines: string[]): string[] => ["", ...lines];
