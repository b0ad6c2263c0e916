/** Finds lines in a file, first exactly, then with increasing tolerance for the ways models misremember them. */

type Loosen = (line: string) => string;

/** From exact to loose: as written; without trailing spaces; without surrounding spaces; with typographic characters as plain ones. */
const looseness: readonly Loosen[] = [(line) => line, (line) => line.trimEnd(), (line) => line.trim(), (line) => plain(line).trim()];

/**
 * The index at or after `from` where `wanted` occurs, or undefined. A stricter match anywhere wins over a looser one earlier.
 * With `atEnd` only the file's last lines are searched.
 */
export function seekLines(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): number | undefined {
  const last = lines.length - wanted.length;
  if (last < 0) return undefined;
  const first = atEnd ? Math.max(from, last) : from;
  for (const loosen of looseness) {
    const pattern = wanted.map(loosen);
    for (let at = first; at <= last; at++) if (pattern.every((line, i) => loosen(lines[at + i] ?? "") === line)) return at;
  }
  return undefined;
}

/** The index at or after `from` where exactly these lines occur. */
export function seekExactly(lines: readonly string[], wanted: readonly string[], from: number): number | undefined {
  for (let at = from; at <= lines.length - wanted.length; at++) if (wanted.every((line, i) => lines[at + i] === line)) return at;
  return undefined;
}

const substitutes: readonly (readonly [RegExp, string])[] = [
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u2018-\u201b]/g, "'"],
  [/[\u201c-\u201f]/g, '"'],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " "],
];

/** Typographic dashes, quotes and spaces as plain ones. */
export const plain = (text: string): string => substitutes.reduce((t, [from, to]) => t.replace(from, to), text);
