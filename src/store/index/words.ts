/** How texts become the words of the full-text index, and a search term what its words must be in a text that contains it. */

/** Scripts without spaces between words: each of their characters is a word. */
const alone = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const word = new RegExp(String.raw`[${alone}]|[[\p{L}\p{N}\p{M}]--[${alone}]]+`, "gv");
const isAlone = new RegExp(`^[${alone}]$`, "v");

/** Hashes and the like; longer ones are data. */
const maxWord = 64;
/** Distinct words of one thread: more are lists, not messages. */
const maxWords = 20_000;
/** Stands for the words that were left out: where it is, the file itself has to be read. No word contains it. */
export const moreWords = "\ue000";

/** A capital sigma becomes one of two letters, depending on where its word ends. */
const lowered = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

/** Adds the words of a text. */
export function addWords(text: string, words: Set<string>): void {
  for (const [found] of lowered(text).matchAll(word)) {
    if (found.length <= maxWord && words.size < maxWords) words.add(found);
    else if (!words.has(found)) words.add(moreWords);
  }
}

/** What a text that contains the term has among its words: this word itself, or one that begins with it, ends with it or contains it. */
export interface TermWord {
  readonly text: string;
  readonly isOpenBefore: boolean;
  readonly isOpenAfter: boolean;
}

/**
 * Only at its ends a term may contain parts of words. Words that are not in the index are left out; undefined if the term has none, so that
 * the index does not help to find it.
 */
export function wordsOfTerm(term: string): readonly TermWord[] | undefined {
  const text = lowered(term);
  // Half a character may be a part of any word.
  if (!text.isWellFormed()) return undefined;
  const found = [...text.matchAll(word)].map((match): TermWord => {
    const isWhole = isAlone.test(match[0]);
    const end = match.index + match[0].length;
    return { text: match[0], isOpenBefore: !isWhole && match.index === 0, isOpenAfter: !isWhole && end === text.length };
  });
  return found.length === 0 ? undefined : found.filter((one) => one.text.length <= maxWord);
}
