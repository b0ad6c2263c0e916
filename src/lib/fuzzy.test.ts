import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fuzzyIndices, fuzzyScore, haystack, words } from "./fuzzy.ts";

/** Observed on Codex 0.166: query, path, score, indices. */
const observed: readonly (readonly [string, string, number, readonly number[]])[] = [
  ["wdgfac", "src/widget_factory.ts", 134, [4, 6, 7, 11, 12, 13]],
  ["widget", ".hidden/widget.ts", 159, [8, 9, 10, 11, 12, 13]],
  ["WIDG", "src/widget.ts", 109, [4, 5, 6, 7]],
  ["src", "src", 84, [0, 1, 2]],
  ["src", ".git/hooks/pre-commit.sample", 48, [9, 12, 15]],
  ["s wid", "src/widget.ts", 118, [0, 4, 5, 6]],
  ["s wid", ".hidden/widget.ts", 100, [8, 9, 10, 16]],
];

test("scores and indices are those that clients of Codex expect", () => {
  for (const [query, path, score, indices] of observed) {
    assert.equal(fuzzyScore(words(query), haystack(path)), score, `${query} in ${path}`);
    assert.deepEqual(fuzzyIndices(words(query), haystack(path)), indices, `${query} in ${path}`);
  }
  assert.equal(fuzzyScore(words("zzq"), haystack("src/widget.ts")), undefined);
});

test("indices are ascending, spell the query, and count characters", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-cA-C/._ -]{1,40}$/), fc.stringMatching(/^[a-c]{1,6}$/), (path, query) => {
      const hay = haystack(path);
      const indices = fuzzyIndices([query], hay);
      const score = fuzzyScore([query], hay);
      assert.equal(score === undefined, indices.length === 0);
      if (score === undefined) return;
      assert.equal(indices.map((i) => path[i]?.toLowerCase()).join(""), query);
      assert.ok(indices.every((at, i) => i === 0 || at > (indices[i - 1] ?? -1)));
    }),
  );
  assert.deepEqual(fuzzyIndices(["ab"], haystack("😀/ab")), [2, 3]);
});

/** A second, naive implementation of the rules, character by character. */
function scoreOf(path: string, at: readonly number[]): number {
  const bonus = (i: number): number => {
    const [before, now] = [i === 0 ? "/" : (path[i - 1] ?? ""), path[i] ?? ""];
    if (/[/_]/.test(now)) return 8;
    if (before === "/") return 9;
    if (before === "_") return 8;
    return /[a-z]/.test(before) && /[A-Z]/.test(now) ? 5 : 0;
  };
  let run = 0;
  return at.reduce((score, i, n) => {
    const gap = n === 0 ? 0 : i - (at[n - 1] ?? 0) - 1;
    if (n === 0 || gap > 0) {
      run = bonus(i);
      return score + 16 + bonus(i) * (n === 0 ? 2 : 1) - (gap > 0 ? 2 + gap : 0);
    }
    run = Math.max(run, 4, bonus(i) >= 8 ? bonus(i) : 0);
    return score + 16 + Math.max(run, bonus(i));
  }, 0);
}

test("the score matches the indices", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[abAB/_]{1,24}$/), fc.stringMatching(/^[ab]{1,5}$/), (path, query) => {
      const score = fuzzyScore([query], haystack(path));
      if (score !== undefined) assert.equal(scoreOf(path, fuzzyIndices([query], haystack(path))), score);
    }),
    { numRuns: 2000 },
  );
});
