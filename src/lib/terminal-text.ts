/** Makes text of models, commands and other clients safe for a terminal: it cannot control the terminal or imitate other output. */
import { stripVTControlCharacters } from "node:util";

/** Control characters except LF and TAB, the C1 controls, and characters that change the text direction or hide text. */
const unwanted =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
const lineBreaks = /\r\n|\u2028|\u2029|\u0085/g;

/** For display: removes escape sequences, control characters and direction marks; lines end in LF; tabs stay. */
export function clean(text: string): string {
  if (isPlain(text)) return text;
  return withoutStackedMarks(stripVTControlCharacters(text.replace(lineBreaks, "\n")).replace(unwanted, ""));
}

/**
 * More combining marks on one letter than any script needs: they would be drawn over the lines above and below. Patterns with Unicode
 * properties are in functions, since each costs half a millisecond when it is made, and every start loads this file.
 */
const withoutStackedMarks = (text: string): string => text.replace(/(?<=\p{M}{8})\p{M}+/gu, "");

/** Printable ASCII and LF only: the most common case. */
const isPlain = (text: string): boolean => /^[\x20-\x7e\n]*$/.test(text);

/** For a single line that must not wrap. */
export const cleanLine = (text: string): string => clean(text).replace(/[\n\t]+/g, " ");

/**
 * For text that a person is asked to approve: everything unusual is escaped instead of removed, so that what is approved is what is seen.
 * Line breaks stay.
 */
export const spelledOut = (text: string): string => (isPlain(text) ? text : unusualSpelled(text.replace(/\r\n/g, "\n")));

/** The same for a single line: a name with a line break in it does not look like two. */
export const spelledLine = (text: string): string => spelledOut(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");

/**
 * Unusual characters are invisible or look like something else: controls, unassigned and private characters, every space but the common
 * one, default-ignorable characters, and combining marks without a base or stacked on others. An emoji keeps its variation selector.
 */
const unusualSpelled = (text: string): string =>
  text.replace(
    /(?![\n\t ]|(?<=\p{Extended_Pictographic})\ufe0f)(?:\p{C}|\p{Z}|\p{Default_Ignorable_Code_Point}|[\u2800\u3164\uffa0]|(?<![\p{L}\p{M}\p{N}])\p{M}|(?<=\p{M}{8})\p{M})/gu,
    spelled,
  );

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const names: Readonly<Record<number, string>> = { 8: "\\b", 12: "\\f", 13: "\\r", 27: "\\e" };
  return names[code] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
}

/** JSON that is safe to show in a terminal: dangerous characters are written as escapes, which JSON parsers decode. */
export const terminalJson = (value: unknown, space?: number): string =>
  (JSON.stringify(value, undefined, space) ?? "null").replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** What a terminal would show of a command's output: of an overwritten line only the last text. */
export function cleanOutput(text: string): string {
  const ended = text.replace(/\r+\n/g, "\n");
  if (!ended.includes("\r")) return clean(ended);
  return clean(ended.split("\n").map(lastOverwrite).join("\n"));
}

function lastOverwrite(line: string): string {
  const at = line.lastIndexOf("\r");
  if (at < 0) return line;
  const last = line.slice(at + 1);
  return last === "" ? lastOverwrite(line.slice(0, at)) : last;
}

/** Expands tabs to spaces up to the next tab stop. */
export function expandTabs(line: string, stop = 4): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const character of line) out += character === "\t" ? " ".repeat(stop - (out.length % stop)) : character;
  return out;
}
