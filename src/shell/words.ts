/** Splits a line into the words that a POSIX shell makes of it. Everything that cuts or judges words goes through here. */

/** A stretch of one word that is quoted in one way, or not at all. */
interface Piece {
  readonly quoting: "none" | "backslash" | "single" | "double";
  /** As it stands in the line. */
  readonly written: string;
  readonly value: string;
}

/** Some shells differ in what they leave alone outside of quotes. */
export type Shell = "bash" | "sh" | "zsh";

const blanks = /^[ \t\n]+/;
const piece = /^(?:([^ \t\n'"\\]+)|\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)")/;

/** The words with their quotes taken off; undefined when a quote stays open. Nothing is expanded: `$HOME` is a word like any other. */
export function splitWords(line: string): string[] | undefined {
  return splitPieces(line)?.map(textOf);
}

/** The same, but undefined as well when a shell would do more with the line than take off quotes. */
export function literalWords(line: string): string[] | undefined {
  const words = splitPieces(line);
  return words?.every((pieces) => isLiteral(pieces, "bash")) === true ? words.map(textOf) : undefined;
}

/**
 * The one string that every POSIX shell makes of a single word, or undefined when it could expand, match files or mean different things to
 * different shells.
 */
export function literalWord(text: string, shell: Shell = "bash"): string | undefined {
  if (text === "") return "";
  const [pieces, second] = splitPieces(text) ?? [];
  // Blanks around the word, or more than one word, leave less in the pieces than the text holds.
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
  // A backslash before the end of a line joins it with the next one.
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

/** What no shell works on, by quoting. Between double quotes `$` and backquotes are left to the shell. */
const literal: Readonly<Record<Piece["quoting"], RegExp>> = {
  none: /^[\w@%+:,./=^-]+$/,
  backslash: /^\\[\x20-\x7e]$/,
  single: /^/,
  double: /^"(?:[^"\\$`]|\\[^\n])*"$/,
};
