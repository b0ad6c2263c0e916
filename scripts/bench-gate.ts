/**
 * `npm run bench:gate`: compares this commit with the last release, in pairs of samples taken in turn from both, and fails for each row that is
 * more than a tenth worse. Rows that look worse get more pairs, from new servers. The last line is `N passed, M failed`.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { errorMessage } from "../src/lib/error-text.ts";
import { type Gauge, gauges, type Rig, type Sample } from "./bench/gate-rigs.ts";
import { fewest, isConfirmed, mostRounds, type Pair, type Verdict, verdictOn } from "./bench/gate-verdict.ts";
import { type Bench, openBench, type Spec } from "./bench/lab.ts";
import { lastRelease } from "./bench/last-release.ts";
import { type BenchRow, benchRows } from "./bench/rows.ts";
import { buildIfOld } from "./build.ts";

const root = path.resolve(import.meta.dirname, "..");
/**
 * One round of all rows takes about a minute on an idle machine of two cores, and what looks worst after it gets the rest. Played
 * with recorded pairs, 110 s in that order find a slower row as often as 150 s did when every doubtful row got its turn.
 */
const roundsMs = 110_000;
/** On a loaded machine a gauge's round ends after this time, with fewer pairs. */
const gaugeMs = 10_000;

const { values: flags } = parseArgs({
  options: {
    /** Comma-separated rows; all of their gauge are measured. */
    only: { type: "string" },
    /** At least this many rounds, whatever is settled. */
    rounds: { type: "string", default: "1" },
    /** The launcher to compare with, in place of the last release's. */
    against: { type: "string" },
  },
});

type Measured = Map<string, Pair[]>;
interface Contest {
  readonly bench: Bench;
  readonly old: Spec;
  readonly now: Spec;
}

async function main(): Promise<number> {
  const release = flags.against === undefined ? lastRelease() : { commit: flags.against, program: path.resolve(flags.against) };
  if ("missing" in release) return skip(`the gate of speed: ${release.missing}`);
  await buildIfOld();
  const place = path.join(root, "node_modules/.cache/parley-bench", `gate-${process.pid}`);
  mkdirSync(place, { recursive: true });
  const bench = await openBench(process.env["PARLEY_SHARED"] ?? path.resolve(root, "../shared"), place);
  if (bench === undefined) return skip("the gate of speed: the shared benchmark is not there (PARLEY_SHARED)");
  try {
    const old: Spec = { name: "release", command: `'${release.program}' app-server`, env: {} };
    const now: Spec = { name: "ours", command: `'${path.join(root, "bin/parley")}' app-server`, env: {}, recordWith: old };
    console.log(`this commit against ${release.commit.slice(0, 12)}, load ${loadavg()[0]?.toFixed(1)}`);
    const chosen = gauges.filter(({ rows }) => flags.only === undefined || rows.some((row) => flags.only?.split(",").includes(row)));
    const contest = { bench, old, now };
    const found = await measureAll(contest, chosen);
    return report(chosen, found, await measureAgain(contest, chosen, found));
  } finally {
    bench.stop();
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function skip(why: string): number {
  console.log(`skipped ${why}`);
  console.log("0 passed, 0 failed");
  return 0;
}

/** All once, then always the one that looks worst of those that are not settled, until all are or the time is over. */
async function measureAll(contest: Contest, chosen: readonly Gauge[]): Promise<Measured> {
  const found: Measured = new Map(chosen.flatMap(({ rows }) => rows.map((row) => [row, []] as const)));
  const rounds = new Map<Gauge, number>();
  const begun = performance.now();
  for (let next = nextGauge(chosen, rounds, found); next !== undefined; next = nextGauge(chosen, rounds, found)) {
    const round = (rounds.get(next) ?? 0) + 1;
    if (round > 1 && performance.now() - begun > roundsMs) return found;
    const started = performance.now();
    await measureRound(contest, next, found);
    rounds.set(next, round);
    process.stderr.write(`round ${round}, ${next.name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
  return found;
}

/** Undefined if all are settled, or have had all their rounds. */
function nextGauge(chosen: readonly Gauge[], rounds: ReadonlyMap<Gauge, number>, found: Measured): Gauge | undefined {
  const had = (gauge: Gauge): number => rounds.get(gauge) ?? 0;
  const least = Math.min(...chosen.map(had));
  if (least < Math.min(Number(flags.rounds), mostRounds)) return chosen.find((gauge) => had(gauge) === least);
  return chosen
    .filter((gauge) => had(gauge) < mostRounds && worstOf(gauge, found) > 0)
    .sort((a, b) => worstOf(b, found) - worstOf(a, found))[0];
}

/** Other pairs for the rows that have failed. */
async function measureAgain(contest: Contest, chosen: readonly Gauge[], found: Measured): Promise<Measured> {
  const hasFailed = (row: string): boolean => verdictFor(row, found, true).outcome === "failed";
  const failed = chosen.filter(({ rows }) => rows.some(hasFailed));
  const others: Measured = new Map(failed.flatMap(({ rows }) => rows.map((row) => [row, []] as const)));
  for (const gauge of failed) for (let round = 1; round <= 2; round++) await measureRound(contest, gauge, others);
  return others;
}

/** The highest ratio among a gauge's rows that are not settled; 0 if all are. */
function worstOf({ rows }: Gauge, found: Measured): number {
  const verdicts = rows.map((row) => verdictFor(row, found, false)).filter(({ outcome }) => outcome === "unclear");
  return Math.max(0, ...verdicts.map(({ ratio }) => ratio));
}

const rowOf = (id: string): BenchRow | undefined => benchRows.find((row) => row.id === id);
const verdictFor = (id: string, found: Measured, isLast: boolean): Verdict =>
  verdictOn(found.get(id) ?? [], { isLast, better: rowOf(id)?.better });

/** A server that fails costs its gauge the pairs of this round. */
async function measureRound({ bench, old, now }: Contest, gauge: Gauge, found: Measured): Promise<void> {
  const rigs: Rig[] = [];
  try {
    for (const spec of [old, now]) rigs.push(await gauge.open(bench, spec));
    const [before, after] = rigs as [Rig, Rig];
    const onePair = async (i: number): Promise<void> => {
      // Who is second may find the machine warmer.
      const both = i % 2 === 0 ? [await before.sample(), await after.sample()] : [await after.sample(), await before.sample()].reverse();
      keep(gauge, both as [Sample, Sample], found);
    };
    const places = Array.from({ length: gauge.pairs }, (_, i) => i);
    if (gauge.isParallel === true) await Promise.all(places.map(onePair));
    const begun = performance.now();
    for (const i of gauge.isParallel === true ? [] : places) {
      if (i >= fewest && performance.now() - begun > gaugeMs) break;
      await onePair(i);
    }
  } catch (error) {
    console.log(`${gauge.name}: ${errorMessage(error)}`);
  } finally {
    await Promise.all(rigs.map((rig) => rig.close()));
  }
}

function keep({ rows }: Gauge, [old, now]: readonly [Sample, Sample], found: Measured): void {
  for (const row of rows) found.get(row)?.push({ old: old[row] ?? Number.NaN, new: now[row] ?? Number.NaN });
}

function report(chosen: readonly Gauge[], found: Measured, others: Measured): number {
  const kept = path.join(root, "test-output/bench/gate.json");
  mkdirSync(path.dirname(kept), { recursive: true });
  writeFileSync(kept, `${JSON.stringify(Object.fromEntries(found))}\n`);
  const verdicts = chosen.flatMap(({ rows }) => rows.map((id) => ({ id, ...verdictFor(id, found, true) })));
  const hasFailed = ({ id, outcome }: (typeof verdicts)[number]): boolean =>
    outcome === "failed" && isConfirmed(others.get(id) ?? [], rowOf(id)?.better);
  for (const verdict of verdicts) {
    const { id, outcome, ratio, range, pairs } = verdict;
    const [low, high] = range.map((bound) => (Number.isFinite(bound) ? bound.toFixed(2) : "?"));
    const name = rowOf(id)?.name ?? id;
    const doubt = outcome === "failed" && !hasFailed(verdict) ? ", not confirmed by others" : "";
    console.log(
      `${hasFailed(verdict) ? "FAIL" : "ok  "} ${name}: ${ratio.toFixed(3)}× the release (${low}–${high}, ${pairs} pairs${doubt})`,
    );
  }
  const failed = verdicts.filter(hasFailed).length;
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
  console.log(`${verdicts.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
