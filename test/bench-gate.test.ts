/** The rule of the gate of speed, on pairs that were recorded on a loaded machine. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gauges } from "../scripts/bench/gate-rigs.ts";
import { isConfirmed, mostRounds, type Pair, verdictOn } from "../scripts/bench/gate-verdict.ts";

/** The same program on both sides, two cores at a load of 8: rows of short and long samples, fair and with outliers of ten times. */
const recorded: Readonly<Record<string, readonly (readonly [old: number, now: number])[]>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "recorded", "gate-pairs.json"), "utf8"),
);
const plays = 500;

/** As the gate goes on: after each round of pairs it settles the row or takes more; a failure must be confirmed by others. */
function hasFailed(draw: () => Pair, size: number): boolean {
  const pairs: Pair[] = [];
  for (let round = 1; round <= mostRounds; round++) {
    for (let i = 0; i < size; i++) pairs.push(draw());
    const { outcome } = verdictOn(pairs, { isLast: round === mostRounds });
    if (outcome === "passed") return false;
    if (outcome === "failed") return isConfirmed(Array.from({ length: size * 2 }, draw));
  }
  throw new Error("the last verdict must be one");
}

/** A generator with a seed, so that each run of the test plays the same. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Many runs like the recorded ones: pairs drawn from them, with the newer program so many times as slow. */
function shareOfFailures(row: string, slower: number): number {
  const next = numbers(row.length);
  const found = recorded[row] ?? [];
  const draw = (): Pair => {
    const [old, now] = found[Math.floor(next() * found.length)] ?? [0, 0];
    const [first, second] = next() < 0.5 ? [old, now] : [now, old];
    return { old: first, new: second * slower };
  };
  const size = gauges.find(({ rows }) => rows.includes(row))?.pairs ?? 0;
  let failures = 0;
  for (let i = 0; i < plays; i++) if (hasFailed(draw, size)) failures++;
  return failures / plays;
}

for (const row of Object.keys(recorded)) {
  test(`${row}: the same program is blamed in less than one of two hundred runs`, () => assert.ok(shareOfFailures(row, 1) < 0.005));
  test(`${row}: a program that is 15 % slower is blamed in four of five runs, one that is 30 % slower always`, () => {
    const found = shareOfFailures(row, 1.15);
    assert.ok(found >= 0.8, String(found));
    assert.ok(shareOfFailures(row, 1.3) > 0.99);
  });
}

test("rates are worse when they are lower", () => {
  const pairs = Array.from({ length: 20 }, (): Pair => ({ old: 100, new: 80 }));
  assert.equal(verdictOn(pairs, { isLast: false, better: "more" }).outcome, "failed");
  assert.equal(verdictOn(pairs, { isLast: false }).outcome, "passed");
});

test("a few pairs settle nothing, and a row that could not be measured fails", () => {
  const pairs = Array.from({ length: 5 }, (): Pair => ({ old: 1, new: 2 }));
  assert.equal(verdictOn(pairs, { isLast: false }).outcome, "unclear");
  assert.equal(verdictOn([{ old: Number.NaN, new: 1 }], { isLast: true }).outcome, "failed");
});
