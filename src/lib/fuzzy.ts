/**
 * Scores how well a query's characters match a path when they occur in it in order, with the fzf family's numbers: results sort as expected.
 * A match counts 16; starts of names and words count more, gaps between characters less.
 */

export const scoreMatch = 16;
export const gapStart = 3;
export const gapExtension = 1;
export const bonusBoundary = 8;
const bonusDelimiter = bonusBoundary + 1;
const bonusCamel = bonusBoundary - gapStart;
export const bonusConsecutive = gapStart + gapExtension;
export const firstMultiplier = 2;
/** Lower than any score. */
const none = -0x8000;

/** A text prepared once for many queries. */
export interface Haystack {
  readonly text: string;
  readonly lower: string;
}
export function haystack(text: string): Haystack {
  const lower = text.toLowerCase();
  // A character whose lower case is longer than itself would shift every index after it.
  return { text, lower: lower.length === text.length ? lower : text };
}

/** The words of a query; each must match by itself. Case never matters. */
export const words = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

/** The sum over all words, or undefined when one of them does not match. */
export function fuzzyScore(query: readonly string[], hay: Haystack): number | undefined {
  let total = 0;
  for (const word of query) {
    if (!isScattered(word, hay.lower)) return undefined;
    total += new Table(word, hay).best();
  }
  return total;
}

/** The indices of the best match's characters, ascending, counted in code points. */
export function fuzzyIndices(query: readonly string[], hay: Haystack): number[] {
  const found = new Set(query.flatMap((word) => (isScattered(word, hay.lower) ? new Table(word, hay).trace() : [])));
  return asCharacters(
    [...found].sort((a, b) => a - b),
    hay.text,
  );
}

function isScattered(word: string, text: string): boolean {
  let at = -1;
  for (let i = 0; i < word.length; i++) {
    at = text.indexOf(word[i] ?? "", at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The best score of each prefix of one word, ending at each position of the text. */
class Table {
  readonly #width: number;
  readonly #height: number;
  readonly #first: number;
  /** Score with this character matched here. */
  readonly #matched: Int32Array;
  /** Score with this character matched somewhere before here. */
  readonly #passed: Int32Array;
  /** The bonus of the consecutive run that passes through here. */
  readonly #run: Uint8Array;
  /** Whether the previous character matched directly before. */
  readonly #joined: Uint8Array;

  constructor(word: string, { text, lower }: Haystack) {
    // Nothing matches before the first position of the first character.
    this.#first = lower.indexOf(word[0] ?? "");
    this.#width = lower.length - this.#first;
    this.#height = word.length;
    const size = this.#width * this.#height;
    this.#matched = new Int32Array(size).fill(none);
    this.#passed = new Int32Array(size).fill(none);
    this.#run = new Uint8Array(size);
    this.#joined = new Uint8Array(size);
    for (let x = 0; x < this.#width; x++) {
      const bonus = bonusAt(text, this.#first + x);
      for (let y = 0; y < this.#height; y++) this.#fill(x, y, bonus, word[y] === lower[this.#first + x]);
    }
  }

  #fill(x: number, y: number, bonus: number, isMatch: boolean): void {
    const at = y * this.#width + x;
    if (x > 0) this.#passed[at] = Math.max((this.#matched[at - 1] ?? none) - gapStart, (this.#passed[at - 1] ?? none) - gapExtension, none);
    if (!isMatch) return;
    if (y === 0) {
      this.#matched[at] = bonus * firstMultiplier + scoreMatch;
      this.#run[at] = bonus;
      return;
    }
    if (x === 0) return;
    const before = at - this.#width - 1;
    const run = Math.max(this.#run[before] ?? 0, bonusConsecutive, bonus >= bonusBoundary ? bonus : 0);
    const joined = (this.#matched[before] ?? none) + Math.max(run, bonus);
    const apart = (this.#passed[before] ?? none) + bonus;
    const isJoined = joined > apart;
    const score = isJoined ? joined : apart;
    if (score < 0 && score <= none / 2) return;
    this.#matched[at] = score + scoreMatch;
    this.#run[at] = isJoined ? run : bonus;
    this.#joined[at] = isJoined ? 1 : 0;
  }

  best(): number {
    return this.#matched[this.#end()] ?? 0;
  }

  /** The cell of the last character with the highest score. */
  #end(): number {
    const from = (this.#height - 1) * this.#width;
    let best = from;
    for (let at = from; at < from + this.#width; at++) if ((this.#matched[at] ?? none) > (this.#matched[best] ?? none)) best = at;
    return best;
  }

  trace(): number[] {
    const indices: number[] = [];
    let at = this.#end();
    for (let y = this.#height - 1; y >= 0; y--) {
      indices.push(this.#first + (at - y * this.#width));
      const isJoined = this.#joined[at] === 1;
      at -= this.#width + 1;
      if (isJoined || y === 0) continue;
      // Back over the gap to the character that its score came from.
      while (
        (this.#passed[at] ?? none) === (this.#passed[at - 1] ?? none) - gapExtension &&
        (this.#passed[at] ?? none) !== (this.#matched[at - 1] ?? none) - gapStart
      )
        at--;
      at--;
    }
    return indices;
  }
}

type Class = "delimiter" | "space" | "other" | "lower" | "upper" | "letter" | "digit";

function classOf(char: string): Class {
  if (char === "/" || char === ":" || char === "\\") return "delimiter";
  if (char >= "a" && char <= "z") return "lower";
  if (char >= "A" && char <= "Z") return "upper";
  if (char >= "0" && char <= "9") return "digit";
  if (/\s/.test(char)) return "space";
  if (char.charCodeAt(0) < 0x80) return "other";
  if (/\p{Lowercase}/u.test(char)) return "lower";
  if (/\p{Uppercase}/u.test(char)) return "upper";
  return /\p{L}/u.test(char) ? "letter" : "other";
}

/** The bonus of a match at this position. The start of the text counts like a position after a slash. */
export function bonusAt(text: string, at: number): number {
  const now = classOf(text[at] ?? "");
  const before = at === 0 ? "delimiter" : classOf(text[at - 1] ?? "");
  if (now === "space" || now === "delimiter" || now === "other") return bonusBoundary;
  if (before === "delimiter") return bonusDelimiter;
  if (before === "space" || before === "other") return bonusBoundary;
  if ((before === "lower" && now === "upper") || (before !== "digit" && now === "digit")) return bonusCamel;
  return 0;
}

/** JavaScript counts a character outside the basic plane as two; clients in other languages do not. */
function asCharacters(indices: readonly number[], text: string): number[] {
  if (!/[\ud800-\udbff]/.test(text)) return [...indices];
  return [...new Set(indices.map((index) => [...text.slice(0, index)].length))];
}
