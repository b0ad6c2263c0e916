/** Ranks short texts by the words of a query (Okapi BM25), for searches that need no index on the disk. */

const saturation = 1.2;
const lengthWeight = 0.75;
/** Weight of a word that only starts with the search term ("repo" in "repositories"). */
const beginningWeight = 0.5;

/** Splits into lower-case words: `listPull_requests` → list, pull, request. */
export function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map((word) => (word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word));
}

/** The indices of the texts that match the query, best first. */
export function ranked(texts: readonly (readonly string[])[], query: readonly string[]): number[] {
  const sought = [...new Set(query)];
  const average = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length);
  const counts = texts.map((words) => sought.map((word) => weightIn(words, word)));
  const rarity = sought.map((_, i) => {
    const holding = counts.filter((count) => (count[i] ?? 0) > 0).length;
    return Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5));
  });
  const scores = counts.map((count, at) => {
    const norm = saturation * (1 - lengthWeight + (lengthWeight * (texts[at]?.length ?? 0)) / Math.max(1, average));
    return count.reduce((sum, weight, i) => sum + ((rarity[i] ?? 0) * weight * (saturation + 1)) / (weight + norm), 0);
  });
  return scores
    .map((score, at) => ({ score, at }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .map(({ at }) => at);
}

function weightIn(words: readonly string[], sought: string): number {
  let weight = 0;
  for (const word of words)
    if (word === sought) weight += 1;
    else if (sought.length > 2 && word.startsWith(sought)) weight += beginningWeight;
  return weight;
}
