/** The targets for speed and size, row by row: where each figure comes from and its limit, as a ratio to the native Codex server. */

export interface BenchRow {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  /** Of the shared benchmark. */
  readonly scenario: string;
  /** The name of the figure, in a full and in a quick run; a quick run measures some things on a smaller scale. */
  readonly measure: string;
  readonly quick?: string;
  /** Ratios ours ÷ theirs. `atLeast` is for rates, where more is better. */
  readonly must: number;
  readonly aim: number;
  readonly better?: "more";
}

const store = (phase: string, what: string): Pick<BenchRow, "scenario" | "measure" | "quick"> => ({
  scenario: "store",
  measure: `10k: ${phase} start: ${what}`,
  quick: `1k: ${phase} start: ${what}`,
});

export const benchRows: readonly BenchRow[] = [
  {
    id: "start-initialize",
    name: "start, used home: spawn → initialize",
    unit: "ms",
    scenario: "start",
    measure: "initialize ms",
    must: 1,
    aim: 0.85,
  },
  {
    id: "start-thread",
    name: "start, used home: spawn → thread/start",
    unit: "ms",
    scenario: "start",
    measure: "thread/start ms",
    must: 0.8,
    aim: 0.6,
  },
  {
    id: "first-initialize",
    name: "first start, empty home: initialize",
    unit: "ms",
    scenario: "firstStart",
    measure: "initialize ms",
    must: 0.5,
    aim: 0.35,
  },
  {
    id: "first-thread",
    name: "first start, empty home: thread/start",
    unit: "ms",
    scenario: "firstStart",
    measure: "thread/start ms",
    must: 0.5,
    aim: 0.35,
  },
  {
    id: "first-page",
    name: "first start on 10,000 rollouts: first page",
    unit: "ms",
    ...store("first", "spawn → first page ms"),
    must: 0.02,
    aim: 0.01,
  },
  { id: "memory-idle", name: "resident memory, idle", unit: "MB", scenario: "start", measure: "RSS MB", must: 0.65, aim: 0.5 },
  { id: "turn", name: "one-token turn, p50", unit: "ms", scenario: "turn", measure: "turn ms p50", must: 0.15, aim: 0.08 },
  { id: "turn-cpu", name: "one-token turn, CPU", unit: "ms", scenario: "turn", measure: "CPU ms per turn", must: 0.12, aim: 0.08 },
  {
    id: "first-delta",
    name: "model byte → first delta",
    unit: "ms",
    scenario: "turn",
    measure: "model byte → delta ms",
    must: 0.5,
    aim: 0.36,
  },
  {
    id: "stream-rate",
    name: "20,000 deltas: rate",
    unit: "1/s",
    scenario: "stream",
    measure: "flood deltas/s",
    must: 2.5,
    aim: 4,
    better: "more",
  },
  {
    id: "stream-cpu",
    name: "20,000 deltas: CPU per delta",
    unit: "µs",
    scenario: "stream",
    measure: "flood CPU µs per delta",
    must: 0.25,
    aim: 0.1,
  },
  {
    id: "commands-full",
    name: "100 commands, full access, each",
    unit: "ms",
    scenario: "tools",
    measure: "full access: ms per command",
    must: 0.25,
    aim: 0.15,
  },
  {
    id: "commands-sandboxed",
    name: "100 commands, sandboxed, each",
    unit: "ms",
    scenario: "tools",
    measure: "workspace-write: ms per command",
    must: 0.2,
    aim: 0.15,
  },
  {
    id: "approval",
    name: "approval answered → command running",
    unit: "ms",
    scenario: "approve",
    measure: "answer → command running ms",
    must: 0.5,
    aim: 0.4,
  },
  {
    id: "exec-sandboxed",
    name: "command/exec sandboxed, round trips",
    unit: "1/s",
    scenario: "exec",
    measure: "workspace-write: round trips/s",
    must: 6,
    aim: 8,
    better: "more",
  },
  {
    id: "threads-done",
    name: "200 threads × 200 deltas: all done",
    unit: "ms",
    scenario: "many",
    measure: "200 threads: all turns ms",
    quick: "20 threads: all turns ms",
    must: 0.2,
    aim: 0.06,
  },
  {
    id: "threads-memory",
    name: "200 threads × 200 deltas: memory peak",
    unit: "MB",
    scenario: "many",
    measure: "200 threads: RSS peak MB",
    quick: "20 threads: RSS peak MB",
    must: 0.45,
    aim: 0.3,
  },
  { id: "list-warm", name: "list page, warm, at 10,000", unit: "ms", ...store("later", "list again ms"), must: 0.1, aim: 0.03 },
  {
    id: "list-updated-first",
    name: "list by updated_at at 10,000: first call of a process",
    unit: "ms",
    ...store("later", "list updated_at ms"),
    must: 0.05,
    aim: 0.015,
  },
  {
    id: "list-updated",
    name: "list by updated_at at 10,000: warm",
    unit: "ms",
    ...store("later", "list updated_at again ms"),
    must: 0.05,
    aim: 0.015,
  },
  { id: "list-all", name: "page through all 10,000", unit: "ms", ...store("later", "page through all ms"), must: 0.05, aim: 0.02 },
  {
    id: "read-long",
    name: "read a 5,000-item thread after its resume",
    unit: "ms",
    ...store("later", "read after resume ms"),
    must: 0.4,
    aim: 0.2,
  },
  { id: "resume-long", name: "resume a 5,000-item thread", unit: "ms", ...store("later", "resume 5,000 items ms"), must: 0.2, aim: 0.12 },
  { id: "output-turn", name: "50 MB of output: turn", unit: "ms", scenario: "bigOutput", measure: "turn ms", must: 1.1, aim: 0.6 },
  { id: "output-memory", name: "50 MB of output: memory", unit: "MB", scenario: "bigOutput", measure: "RSS peak MB", must: 0.8, aim: 0.6 },
];

/** Figures that a quick run measures under another name are on a smaller scale, without targets. */
export const isScaled = (row: BenchRow, isQuick: boolean): boolean => isQuick && row.quick !== undefined;

export type Verdict = "aim" | "kept" | "missed" | "open";

export function verdictOf(row: BenchRow, ratio: number | undefined): Verdict {
  if (ratio === undefined || !Number.isFinite(ratio)) return "open";
  const within = (limit: number): boolean => (row.better === "more" ? ratio >= limit : ratio <= limit);
  return within(row.aim) ? "aim" : within(row.must) ? "kept" : "missed";
}
