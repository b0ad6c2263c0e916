/** The word of a list that somebody most likely meant; for whoever has to refuse a misspelt one. */

/** Undefined when nothing is near enough to be worth saying. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const other = name.toLowerCase();
    const isStart = wanted.length >= 2 && (other.startsWith(wanted) || other.split("-").includes(wanted));
    const distance = isStart ? 1 : editDistance(wanted, other);
    if (distance <= allowed(wanted, other) && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** One slip in a short word, more in a long one. */
const allowed = (a: string, b: string): number => Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));

/** Insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
