/** Text of models, commands and other clients for a terminal: nothing of it can steer the terminal or pretend to be something else. */
import { stripVTControlCharacters } from "node:util";

/** Controls without LF and TAB, the C1 controls, and what turns the reading direction or hides text. */
const unwanted =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
const lineBreaks = /\r\n|\u2028|\u2029|\u0085/g;
/** More marks on one letter than any script needs: they would be drawn over the lines above and below. */
const stackedMarks = /(?<=\p{M}{8})\p{M}+/gu;

/** For showing: escape sequences, controls and direction marks are gone; lines end in LF; tabs stay. */
export function clean(text: string): string {
  if (isPlain(text)) return text;
  return stripVTControlCharacters(text.replace(lineBreaks, "\n")).replace(unwanted, "").replace(stackedMarks, "");
}

/** Printable ASCII and LF alone: most of what comes. */
const isPlain = (text: string): boolean => /^[\x20-\x7e\n]*$/.test(text);

/** For one line where none may break. */
export const cleanLine = (text: string): string => clean(text).replace(/[\n\t]+/g, " ");

/**
 * What cannot be seen, or looks like something else: controls, unassigned and private characters, every space but the common
 * one, whatever fonts leave out, and marks that stand on no letter or on a heap of others. An emoji keeps the selector of its picture.
 */
const unusual =
  /(?![\n\t ]|(?<=\p{Extended_Pictographic})\ufe0f)(?:\p{C}|\p{Z}|\p{Default_Ignorable_Code_Point}|[\u2800\u3164\uffa0]|(?<![\p{L}\p{M}\p{N}])\p{M}|(?<=\p{M}{8})\p{M})/gu;

/**
 * For what a person is asked about: everything unusual is spelled out instead of removed, so that what is approved is what is seen.
 * Lines stay lines.
 */
export const spelledOut = (text: string): string => (isPlain(text) ? text : text.replace(/\r\n/g, "\n").replace(unusual, spelled));

/** The same where no line may break: a name with a line break in it does not look like two. */
export const spelledLine = (text: string): string => spelledOut(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const names: Readonly<Record<number, string>> = { 8: "\\b", 12: "\\f", 13: "\\r", 27: "\\e" };
  return names[code] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
}

/** JSON that a terminal may show: what would steer it or turn its text is written as an escape, which readers of JSON undo. */
export const terminalJson = (value: unknown, space?: number): string =>
  (JSON.stringify(value, undefined, space) ?? "null").replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** What a terminal would show of a command's output: a line that was written over shows what was written last. */
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

/** Tabs as spaces up to the next stop. */
export function expandTabs(line: string, stop = 4): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const character of line) out += character === "\t" ? " ".repeat(stop - (out.length % stop)) : character;
  return out;
}
