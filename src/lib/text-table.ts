/**
 * Very many short texts in few buffers, for finding those that a fuzzy query fits best: a rough score in one pass over the bytes chooses the
 * candidates, whose exact scores are worth computing.
 */
import { bonusAt, bonusBoundary, bonusConsecutive, firstMultiplier, gapExtension, gapStart, scoreMatch } from "./fuzzy.ts";
import type { Pace } from "./pace.ts";

const noMatch = -0x8000;
/** The start of a text counts like a position after a slash. */
const slash = 47;
/** An end further from the text's start is not noted. */
const maxNoted = 0xffff;

export class TextTable {
  /** The bonus of a character, by the one before it and itself. */
  readonly #bonusOf = Uint8Array.from({ length: 128 * 128 }, (_, i) => bonusAt(String.fromCharCode(i >> 7, i & 0x7f), 1));
  #count = 0;
  #size = 0;
  #starts = new Uint32Array(1024);
  /** Which letters occur, as bits: most texts that do not match are recognized by it. */
  #letters = new Uint32Array(1024);
  /** Where the last bonus lies that is as high as they get: mostly the start of a file's name. */
  #peaks = new Uint32Array(1024);
  #text = Buffer.alloc(32 * 1024);
  #lower = Buffer.alloc(32 * 1024);
  #bonus = new Uint8Array(32 * 1024);

  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    const bytes = Buffer.from(text);
    this.#reserve(bytes.length);
    const start = this.#size;
    this.#text.set(bytes, start);
    const lower = Buffer.from(text.toLowerCase());
    // A character whose lower case is longer than itself would shift every position after it.
    this.#lower.set(lower.length === bytes.length ? lower : bytes, start);
    let letters = 0;
    let before = slash;
    for (let i = 0; i < bytes.length; i++) {
      const now = (bytes[i] ?? 0) & 0x7f; // exact for plain characters; with others the score is a little rougher
      const bonus = this.#bonusOf[before * 128 + now] ?? 0;
      this.#bonus[start + i] = bonus;
      if (bonus > bonusBoundary) this.#peaks[this.#count] = start + i;
      before = now;
      letters |= bitOf(this.#lower[start + i] ?? 0);
    }
    this.#letters[this.#count] = letters;
    this.#starts[this.#count++] = start;
    this.#size += bytes.length;
    this.#starts[this.#count] = this.#size;
  }

  textAt(at: number): string {
    return this.#text.toString("utf8", this.#starts[at], this.#starts[at + 1]);
  }

  /** The texts with the best rough scores, at least `most` of them if there are as many; in no order. `among`: only what a shorter query matched. */
  async candidates(words: readonly string[], most: number, pace: Pace, among?: Matches): Promise<Candidates> {
    const wanted = words.map((word) => Buffer.from(word));
    const letters = wanted.reduce((bits, word) => word.reduce((own, byte) => own | bitOf(byte), bits), 0);
    const total = among?.count ?? this.#count;
    const matches = {
      at: new Uint32Array(total),
      after: new Uint16Array(total),
      count: 0,
      word: wanted.length === 1 ? wanted[0] : undefined,
    };
    const known = knownBytes(matches.word, among?.word);
    const scores = new Int16Array(total);
    const place = { from: 0, to: 0, peak: 0, known, after: 0 };
    for (let i = 0; i < total; i++) {
      const at = among === undefined ? i : (among.at[i] ?? 0);
      if (((this.#letters[at] ?? 0) & letters) === letters) {
        place.after = among?.after[i] ?? 0;
        const score = this.#roughScore(at, wanted, place);
        if (score !== noMatch) {
          matches.at[matches.count] = at;
          matches.after[matches.count] = place.after;
          scores[matches.count++] = score;
        }
      }
      if ((i & 0xff) !== 0xff) continue;
      const others = pace();
      if (others !== undefined) await others;
    }
    return { matches, best: this.#best(matches.at.subarray(0, matches.count), scores.subarray(0, matches.count), most) };
  }

  /** Of one word, where it ends is noted in `place`. */
  #roughScore(at: number, words: readonly Buffer[], place: Place): number {
    place.from = this.#starts[at] ?? 0;
    place.to = this.#starts[at + 1] ?? 0;
    place.peak = this.#peaks[at] ?? 0;
    const bytes = { lower: this.#lower, bonuses: this.#bonus };
    let total = 0;
    for (const word of words) {
      const score = wordScore(word, bytes, place);
      if (score === noMatch) return noMatch;
      total += score;
    }
    return Math.min(total, 0x7fff);
  }

  /** Equal scores count by their texts, as in the final order. */
  #best(matching: Uint32Array, scores: Int16Array, most: number): readonly number[] {
    if (matching.length <= most) return [...matching];
    const counts = new Uint32Array(0x10000);
    for (let i = 0; i < scores.length; i++) {
      const score = (scores[i] ?? 0) + 0x8000;
      counts[score] = (counts[score] ?? 0) + 1;
    }
    let [above, cut] = [0, 0x7fff];
    while (above + (counts[cut + 0x8000] ?? 0) < most) above += counts[cut-- + 0x8000] ?? 0;
    const best: number[] = [];
    const ties = new Smallest(most - above, (a, b) => this.#compare(a, b));
    for (let i = 0; i < matching.length; i++) {
      const score = scores[i] ?? noMatch;
      if (score > cut) best.push(matching[i] ?? 0);
      else if (score === cut) ties.add(matching[i] ?? 0);
    }
    return [...best, ...ties.all()];
  }

  /** Byte by byte: most differ early, and a call of Buffer's own costs more. */
  #compare(a: number, b: number): number {
    const text = this.#text;
    let i = this.#starts[a] ?? 0;
    let k = this.#starts[b] ?? 0;
    const iEnd = this.#starts[a + 1] ?? 0;
    const kEnd = this.#starts[b + 1] ?? 0;
    for (; i < iEnd && k < kEnd; i++, k++) {
      const difference = (text[i] ?? 0) - (text[k] ?? 0);
      if (difference !== 0) return difference;
    }
    return iEnd - i - (kEnd - k);
  }

  #reserve(bytes: number): void {
    if (this.#count + 2 > this.#starts.length) {
      this.#starts = grown(this.#starts, new Uint32Array(this.#starts.length * 2));
      this.#letters = grown(this.#letters, new Uint32Array(this.#letters.length * 2));
      this.#peaks = grown(this.#peaks, new Uint32Array(this.#peaks.length * 2));
    }
    while (this.#size + bytes > this.#text.length) {
      const length = this.#text.length * 2;
      this.#text = grown(this.#text, Buffer.alloc(length));
      this.#lower = grown(this.#lower, Buffer.alloc(length));
      this.#bonus = grown(this.#bonus, new Uint8Array(length));
    }
  }
}

interface Bytes {
  readonly lower: Buffer;
  readonly bonuses: Uint8Array;
}

/** A text's bytes. The first bytes of the word, as many as are known, lie before `after`, counted from the text's start; 0: nothing is known. */
interface Place {
  from: number;
  to: number;
  peak: number;
  readonly known: number;
  after: number;
}

/** How much of a word needs no second look, if it goes on from the one before; something must be left to look for. */
function knownBytes(word: Buffer | undefined, before: Buffer | undefined): number {
  if (word === undefined || before === undefined || before.length >= word.length) return 0;
  return before.equals(word.subarray(0, before.length)) ? before.length : 0;
}

/** The better of two ways to place the word: as far to the left as possible, and as far to the right. */
function wordScore(word: Buffer, bytes: Bytes, place: Place): number {
  const { lower, bonuses } = bytes;
  const { from, to } = place;
  const last = word.length - 1;
  const isKnown = place.known > 0 && place.after > 0;
  let k = isKnown ? place.known : 0;
  let end = isKnown ? from + place.after : from;
  for (; end < to; end++) if (lower[end] === word[k] && k++ === last) break;
  if (k <= last) return noMatch;
  place.after = end - from < maxNoted ? end - from + 1 : 0;
  let begin = end;
  for (k = last; ; begin--) if (lower[begin] === word[k] && k-- === 0) break;
  const left = placedScore(word, bytes, begin, end);
  // In one piece, at the beginning of a name: hardly another way is better. At that of a word with no name after it, none is.
  const bonus = bonuses[begin] ?? 0;
  if (end - begin === last && (bonus > bonusBoundary || (bonus === bonusBoundary && begin > place.peak))) return left;
  let start = to - 1;
  for (k = last; ; start--) if (lower[start] === word[k] && k-- === 0) break;
  if (start === begin) return left;
  let stop = start;
  for (k = 0; ; stop++) if (lower[stop] === word[k] && k++ === last) break;
  return Math.max(left, placedScore(word, bytes, start, stop));
}

function placedScore(word: Buffer, { lower, bonuses }: Bytes, from: number, to: number): number {
  let score = 0;
  let k = 0;
  let run = 0;
  let gap = 0;
  for (let i = from; i <= to; i++) {
    if (lower[i] !== word[k]) {
      score -= gap++ === 0 ? gapStart : gapExtension;
      continue;
    }
    let bonus = bonuses[i] ?? 0;
    if (k++ === 0) {
      run = bonus;
      score += bonus * firstMultiplier + scoreMatch;
    } else {
      if (gap > 0) run = bonus;
      else {
        if (bonus >= bonusBoundary && bonus > run) run = bonus;
        bonus = Math.max(bonus, run, bonusConsecutive);
      }
      score += bonus + scoreMatch;
    }
    gap = 0;
  }
  return score;
}

export interface Candidates {
  readonly matches: Matches;
  readonly best: readonly number[];
}
/** All that match: a longer query can only match these, and where one word goes on, it goes on after its end in each. */
export interface Matches {
  readonly count: number;
  readonly at: Uint32Array;
  readonly after: Uint16Array;
  /** Undefined where the query has several. */
  readonly word: Buffer | undefined;
}

/** Keeps the smallest of many without sorting all of them. */
class Smallest {
  readonly #most: number;
  readonly #compare: (a: number, b: number) => number;
  #kept: number[] = [];
  #largest: number | undefined;

  constructor(most: number, compare: (a: number, b: number) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  add(one: number): void {
    if (this.#largest !== undefined && this.#compare(one, this.#largest) > 0) return;
    if (this.#kept.push(one) >= this.#most * 2) this.#cut();
  }

  all(): readonly number[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept = this.#kept.sort(this.#compare).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#largest = this.#kept.at(-1);
  }
}

const grown = <T extends { set(from: T): void }>(from: T, to: T): T => {
  to.set(from);
  return to;
};

/** Letters and digits by themselves, everything else together. */
function bitOf(byte: number): number {
  if (byte >= 97 && byte <= 122) return 1 << (byte - 97);
  return byte >= 48 && byte <= 57 ? 1 << (26 + (byte & 3)) : 1 << (byte === 47 ? 30 : 31);
}
