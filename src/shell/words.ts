/** Splits a line into words the way a POSIX shell does. All code that splits or checks shell words goes through here. */

/** A part of one word with one kind of quoting, or none. */
interface Piece {
  readonly quoting: "none" | "backslash" | "single" | "double";
  /** The source text, with quotes. */
  readonly written: string;
  readonly value: string;
}

/** Shells differ in which unquoted characters they leave unchanged. */
export type Shell = "bash" | "sh" | "zsh";

const blanks = /^[ \t\n]+/;
const piece = /^(?:([^ \t\n'"\\]+)|\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)")/;

/** The words without their quotes; undefined if a quote is not closed. Nothing is expanded: `$HOME` is an ordinary word. */
export function splitWords(line: string): string[] | undefined {
  return splitPieces(line)?.map(textOf);
}

/** The same, but also undefined if a shell would do more with the line than remove quotes. */
export function literalWords(line: string): string[] | undefined {
  const words = splitPieces(line);
  return words?.every((pieces) => isLiteral(pieces, "bash")) === true ? words.map(textOf) : undefined;
}

/**
 * The string that every POSIX shell makes of a single word, or undefined if the word could expand, match files or mean different things in
 * different shells.
 */
export function literalWord(text: string, shell: Shell = "bash"): string | undefined {
  if (text === "") return "";
  const [pieces, second] = splitPieces(text) ?? [];
  // With blanks around the word, or more than one word, the pieces are shorter than the text.
  if (pieces === undefined || second !== undefined || pieces.map(({ written }) => written).join("") !== text) return undefined;
  return isLiteral(pieces, shell) ? textOf(pieces) : undefined;
}

function splitPieces(line: string): Piece[][] | undefined {
  const words: Piece[][] = [];
  let word: Piece[] = [];
  for (let rest = line; rest !== ""; ) {
    const gap = blanks.exec(rest)?.[0];
    const next = gap === undefined ? pieceAt(rest) : undefined;
    if (gap === undefined && next === undefined) return undefined;
    if (next === undefined && word.length > 0) words.push(word);
    if (next === undefined) word = [];
    else word.push(next);
    rest = rest.slice((gap ?? next?.written ?? "").length);
  }
  return word.length > 0 ? [...words, word] : words;
}

function pieceAt(text: string): Piece | undefined {
  const [written, bare, escaped, single, double] = piece.exec(text) ?? [];
  if (written === undefined) return undefined;
  if (bare !== undefined) return { quoting: "none", written, value: bare };
  // A backslash at the end of a line joins it with the next one.
  if (escaped !== undefined) return { quoting: "backslash", written, value: escaped === "\n" ? "" : escaped };
  if (single !== undefined) return { quoting: "single", written, value: single };
  return { quoting: "double", written, value: (double ?? "").replaceAll(/\\([$`"\\])|\\\n/g, "$1") };
}

const textOf = (pieces: readonly Piece[]): string => pieces.map(({ value }) => value).join("");

function isLiteral(pieces: readonly Piece[], shell: Shell): boolean {
  const [first] = pieces;
  if (first?.written.startsWith("=") === true) return false;
  return pieces.every(({ quoting, written }) => literal[quoting].test(written) && !(shell === "zsh" && written.includes("^")));
}

/** Text that no shell expands, by kind of quoting. Between double quotes, shells expand `$` and backquotes. */
const literal: Readonly<Record<Piece["quoting"], RegExp>> = {
  none: /^[\w@%+:,./=^-]+$/,
  backslash: /^\\[\x20-\x7e]$/,
  single: /^/,
  double: /^"(?:[^"\\$`]|\\[^\n])*"$/,
};
