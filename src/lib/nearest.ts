/** Suggests the entry of a list that the user most likely meant, for error messages about misspelt names. */

/** Undefined when no entry is close enough to suggest. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const other = name.toLowerCase();
    const isStart = lower.length >= 2 && (other.startsWith(lower) || other.split("-").includes(lower));
    const distance = isStart ? 1 : editDistance(lower, other);
    if (distance <= allowed(lower, other) && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** One typo in a short word, more in a long one. */
const allowed = (a: string, b: string): number => Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));

/** Insertions, deletions, substitutions and swaps of adjacent characters. */
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
