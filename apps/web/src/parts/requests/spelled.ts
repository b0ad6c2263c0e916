/** What a person is asked about, with everything unusual spelled out instead of left to the screen: what is approved is what is seen. */
import type { FileDiff } from "../diff/parse.ts";

/**
 * What cannot be seen, or cannot be told from something else: controls, unassigned and private characters, every space but the common
 * one, whatever fonts leave out, and marks that stand on no letter or on a heap of others. An emoji keeps the selector of its picture.
 * The terminal's rule (src/lib/terminal-text.ts) is the same; a test holds them together.
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

/** The same where no line may break: a name with a line break in it does not look like two. */
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
