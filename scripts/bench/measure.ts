/** Runs the scenarios alternately for every server, round by round, so that other load on the machine affects all alike. */
import { loadavg } from "node:os";
import type { Bench, Figures, Spec } from "./lab.ts";

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
}
/** Scenario → figure → server → measured value; a string if it was no number. */
export type Measures = Record<string, Record<string, Partial<Record<Spec["name"], Summary | string>>>>;

/** Seconds per round with both servers on an idle machine; to estimate the remaining time. */
const usual: Readonly<Record<string, readonly [full: number, quick: number]>> = {
  start: [11, 11],
  firstStart: [7, 7],
  turn: [8, 6],
  approve: [7, 6],
  tools: [22, 8],
  exec: [20, 9],
  bigOutput: [8, 8],
  stream: [32, 12],
  many: [40, 10],
  store: [125, 22],
};
export const scenarioNames: readonly string[] = Object.keys(usual);

/** Scenarios whose figures are single samples of a few milliseconds are run more than once in each round: a burst of other work hits one of them. */
export const runsPerRound: Readonly<Record<string, number>> = { start: 3, firstStart: 3, turn: 2, approve: 2 };

/** The load average is one of the last minute. */
const lookEveryMs = 5_000;

export interface Plan {
  readonly quick: boolean;
  readonly rounds: number;
  readonly only: readonly string[];
  readonly signal: AbortSignal;
}

export async function measure(bench: Bench, specs: readonly Spec[], plan: Plan): Promise<{ measures: Measures; load: number[] }> {
  const measures: Measures = {};
  const load: number[] = [];
  const look = setInterval(() => load.push(loadavg()[0] ?? 0), lookEveryMs);
  const progress = new Progress(plan, specs.length);
  for (const name of plan.only) {
    const run = bench.scenarios[name];
    if (run === undefined) throw new Error(`the shared benchmark has no scenario ${name}`);
    const figures = new Map<Spec, Figures[]>(specs.map((spec) => [spec, []]));
    for (let round = 1; round <= roundsOf(name, plan) && !plan.signal.aborted; round++) {
      for (const spec of specs) {
        if (plan.signal.aborted) break;
        const started = performance.now();
        // One server's failure must not cost the figures of all the others.
        const row = await run(bench.lab, spec, { quick: plan.quick }).catch((error: Error) => ({ error: error.message.slice(0, 300) }));
        figures.get(spec)?.push(row);
        progress.report(name, round, spec, { seconds: (performance.now() - started) / 1000, error: String(row["error"] ?? "") });
      }
    }
    measures[name] = summarize(figures);
  }
  clearInterval(look);
  return { measures, load };
}

const roundsOf = (name: string, { rounds, quick }: Plan): number => rounds * (quick ? 1 : (runsPerRound[name] ?? 1));

function summarize(figures: ReadonlyMap<Spec, readonly Figures[]>): Measures[string] {
  const out: Measures[string] = {};
  for (const [spec, rows] of figures)
    for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
      const values = rows.flatMap((row) => row[name] ?? []);
      const numbers = values.filter((value): value is number => typeof value === "number" && !Number.isNaN(value));
      out[name] ??= {};
      out[name][spec.name] = numbers.length > 0 ? summaryOf(numbers) : String(values.at(-1) ?? "");
    }
  return out;
}

export function summaryOf(numbers: readonly number[]): Summary {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return low + (high - low) * (place - Math.floor(place));
  };
  return { median: at(0.5), min: at(0), max: at(1), n: sorted.length };
}

/** A line per step, with the remaining time extrapolated from the steps so far. */
class Progress {
  readonly #plan: Plan;
  readonly #servers: number;
  #expected = 0;
  #spent = 0;

  constructor(plan: Plan, servers: number) {
    this.#plan = plan;
    this.#servers = servers;
  }

  report(name: string, round: number, spec: Spec, { seconds, error }: { readonly seconds: number; readonly error: string }): void {
    const { only } = this.#plan;
    const rounds = roundsOf(name, this.#plan);
    this.#spent += seconds;
    this.#expected += this.#usual(name) / 2;
    const total = only.reduce((sum, each) => sum + this.#usual(each) * roundsOf(each, this.#plan) * (this.#servers / 2), 0);
    const left = ((total - this.#expected) * this.#spent) / this.#expected;
    const rest = left > 0 ? ` · about ${Math.ceil(left / 60)} min left` : "";
    process.stderr.write(
      `${name} ${round}/${rounds} ${spec.name}: ${seconds.toFixed(1)} s${rest}${error === "" ? "" : ` · FAILED ${error}`}\n`,
    );
  }

  #usual(name: string): number {
    return usual[name]?.[this.#plan.quick ? 1 : 0] ?? 10;
  }
}
