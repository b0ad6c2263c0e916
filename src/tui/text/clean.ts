/** Text of models, commands and other clients, made harmless: nothing of it can steer the terminal or pretend to be something else. */
import { stripVTControlCharacters } from "node:util";

/** Controls without LF and TAB, the C1 controls, and what turns the reading direction or hides text. */
const unwanted =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const lineBreaks = /\r\n|\u2028|\u2029|\u0085/g;

/** For showing: escape sequences, controls and direction marks are gone; lines end in LF; tabs stay. */
export function clean(text: string): string {
  if (isPlain(text)) return text;
  return stripVTControlCharacters(text.replace(lineBreaks, "\n")).replace(unwanted, "");
}

/** Printable ASCII and LF alone: most of what comes. */
const isPlain = (text: string): boolean => /^[\x20-\x7e\n]*$/.test(text);

/** For one line where none may break. */
export const cleanLine = (text: string): string => clean(text).replace(/[\n\t]+/g, " ");

/**
 * For what a person is asked about: everything unusual is spelled out instead of removed, so that what is approved is what is seen.
 * Lines stay lines.
 */
export function visible(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(unwanted, spelled)
    .replace(/[\u00a0\u00ad\u115f\u1160\u180e\u200b-\u200d\u2028\u2029\u3164\uffa0]/g, spelled);
}

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const names: Readonly<Record<number, string>> = { 8: "\\b", 12: "\\f", 13: "\\r", 27: "\\e" };
  return names[code] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
}

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
