/** Text of an approval, with every unusual character escaped: what is approved is what is shown. */
import type { FileDiff } from "../diff/parse.ts";

/**
 * Invisible or ambiguous characters: controls, unassigned and private characters, every space but the common
 * one, characters that fonts do not draw, and combining marks without a base letter or stacked on others. An emoji keeps its variation selector.
 * The terminal's rule (src/lib/terminal-text.ts) is the same; a test compares them.
 */
const unusual =
  /(?![\n\t ]|(?<=\p{Extended_Pictographic})\ufe0f)(?:\p{C}|\p{Z}|\p{Default_Ignorable_Code_Point}|[\u2800\u3164\uffa0]|(?<![\p{L}\p{M}\p{N}])\p{M}|(?<=\p{M}{8})\p{M})/gu;

const names: Readonly<Record<number, string>> = { 8: "\\b", 12: "\\f", 13: "\\r", 27: "\\e" };

export function spelledOut(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(unusual, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return names[code] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
  });
}

/** The same for a single line: a name with a line break in it does not look like two. */
export const spelledLine = (text: string): string => spelledOut(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");

/** A change of a file, names and lines. */
export function spelledDiff(file: FileDiff): FileDiff {
  return {
    ...file,
    path: spelledLine(file.path),
    oldPath: file.oldPath === null ? null : spelledLine(file.oldPath),
    hunks: file.hunks.map(({ heading, lines }) => ({
      heading: spelledLine(heading),
      lines: lines.map((line) => ({ ...line, text: spelledOut(line.text) })),
    })),
  };
}
