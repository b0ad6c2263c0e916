/** When a row of the gate is slower than the last release: the rule over pairs of figures that were measured one right after the other. */

/** The same figure of the last release and of this commit, measured next to each other, so that other load on the machine affects both. */
export interface Pair {
  readonly old: number;
  readonly new: number;
}

/** `unclear`: more pairs would tell. */
export type Outcome = "passed" | "failed" | "unclear";

export interface Verdict {
  readonly outcome: Outcome;
  /** How many times as much as before, typically; the worse, the higher, for rates too. */
  readonly ratio: number;
  /** Where the true one lies, by the binomial rule for medians. */
  readonly range: readonly [low: number, high: number];
  readonly pairs: number;
}

/** A row may be this many times worse. */
export const limit = 1.1;
/** The chance of a mistake: a failure must be surer than a pass, and surest where it could be said after each round. */
const chances = { earlyFailure: 0.005, failure: 0.01, pass: 0.05 };
/** What a failed row must still be when it is measured once more. */
const again = 1.05;
/** Fewer pairs settle nothing, however clear they look. */
export const fewest = 6;
/** So many rounds of pairs show a row that is 15 % worse also on a loaded machine. */
export const mostRounds = 10;

/**
 * A row fails if it is typically over the limit and nearly all of what chance could have done still leaves it slower than before. It passes
 * early if the same chance leaves it within the limit, and at the end if it is not shown to fail.
 */
export function verdictOn(pairs: readonly Pair[], options: { readonly isLast: boolean; readonly better?: "more" | undefined }): Verdict {
  const ratios = pairs.flatMap((pair) => ratioOf(pair, options.better)).sort((a, b) => a - b);
  const ratio = middleOf(ratios);
  const range = rangeOf(ratios, chances.pass);
  const judged = (outcome: Outcome): Verdict => ({ outcome, ratio, range, pairs: ratios.length });
  if (ratios.length === 0) return judged(options.isLast ? "failed" : "unclear");
  const [low] = rangeOf(ratios, options.isLast ? chances.failure : chances.earlyFailure);
  const isEnough = ratios.length >= fewest;
  if (isEnough && ratio > limit && low > 1) return judged("failed");
  if (isEnough && range[1] <= limit) return judged("passed");
  return judged(options.isLast ? "passed" : "unclear");
}

/** Whether other pairs than those that failed a row say so too: many rows are judged, and by chance alone one of them would fail now and then. */
export const isConfirmed = (others: readonly Pair[], better?: "more"): boolean =>
  !(middleOf(others.flatMap((pair) => ratioOf(pair, better)).sort((a, b) => a - b)) <= again);

/** A figure that could not be measured is left out; a server without any fails by having no pairs. */
function ratioOf({ old, new: now }: Pair, better: "more" | undefined): readonly number[] {
  if (!(old > 0 && now > 0)) return [];
  return [better === "more" ? old / now : now / old];
}

function middleOf(sorted: readonly number[]): number {
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2;
}

/** Between which of the sorted values the true median lies, but for chances of `error` on each side. It assumes nothing about how they spread. */
function rangeOf(sorted: readonly number[], error: number): readonly [number, number] {
  const n = sorted.length;
  let outside = 0;
  let chance = 0.5 ** n; // that none of n fair coins shows heads
  for (; outside < n / 2 && chance <= error; outside++) chance += combinations(n, outside + 1) * 0.5 ** n;
  if (outside === 0) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [sorted[outside - 1] ?? Number.NaN, sorted[n - outside] ?? Number.NaN];
}

function combinations(n: number, k: number): number {
  let found = 1;
  for (let i = 1; i <= k; i++) found = (found * (n - k + i)) / i;
  return found;
}
