/** Finds the lines of a file most similar to those a model remembered, for the error about an edit that does not match. */

/** Enough to identify a place; more lines only cost time. */
const maxWanted = 12;
const maxLines = 20_000;
const around = 2;
const maxShown = 16;
const maxWidth = 200;
/** Below this similarity the lines are no help. */
const leastLikeness = 0.4;

/** A sentence with numbered lines, or nothing when no lines are similar. */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): string {
  const wantedLines = wanted.filter((line) => line.trim() !== "").slice(0, maxWanted);
  if (wantedLines.length === 0 || lines.length === 0) return "";
  const patterns = wantedLines.map(tokens);
  const file = lines.slice(0, maxLines).map(tokens);
  let best = { at: 0, score: 0 };
  for (let at = 0; at < file.length; at++) {
    let score = 0;
    for (let i = 0; i < patterns.length; i++) score += likeness(file[at + i], patterns[i]);
    if (score > best.score) best = { at, score };
  }
  if (best.score / patterns.length < leastLikeness) return "";
  const from = Math.max(0, best.at - around);
  const to = Math.min(lines.length, best.at + wanted.length + around, from + maxShown);
  const shown = lines.slice(from, to).map((line, i) => `${from + i + 1}| ${clip(line)}`);
  return `The nearest lines are:\n${shown.join("\n")}`;
}

const tokens = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.slice(0, 64) ?? [];

/** 1 for lines that differ only in spaces, 0 for lines without a common word. */
function likeness(line: readonly string[] | undefined, pattern: readonly string[] | undefined): number {
  if (line === undefined || pattern === undefined || line.length === 0) return 0;
  const rest = new Map<string, number>();
  for (const token of line) rest.set(token, (rest.get(token) ?? 0) + 1);
  let common = 0;
  for (const token of pattern) {
    const left = rest.get(token) ?? 0;
    if (left === 0) continue;
    rest.set(token, left - 1);
    common++;
  }
  return (2 * common) / (line.length + pattern.length);
}

const clip = (line: string): string => (line.length > maxWidth ? `${line.slice(0, maxWidth)}…` : line);
