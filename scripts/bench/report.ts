/** The results of a run: the table for the terminal, the page docs/performance.md, and the entry of the history. */
import type { Curve } from "./curves.ts";
import { type EngineFigures, engineMeasures } from "./engines.ts";
import { type FleetFigures, type FleetMeasure, type FleetMeasureName, fleetMeasures } from "./fleet-measures.ts";
import { type HomeFigures, homeMeasures } from "./home.ts";
import { lastRuns, type StoredRun } from "./last-runs.ts";
import { isKept, type ManagerFigures, managerLimits } from "./manager-rows.ts";
import type { Measures, Summary } from "./measure.ts";
import { type BenchRow, benchRows, isScaled, type Verdict, verdictOf } from "./rows.ts";
import { short } from "./short.ts";
import { sizesPart, sizeTables } from "./size-report.ts";
import type { SizeFigures } from "./sizes.ts";

export interface Run {
  readonly kind: "full" | "quick";
  readonly when: string;
  readonly minutes: number;
  readonly commit: string;
  readonly codex: string | null;
  readonly rounds: number;
  readonly machine: {
    readonly cpus: number;
    readonly cpu: string;
    readonly memoryGB: number;
    readonly kernel: string;
    readonly node: string;
  };
  /** Load averages: before, highest and last. `busy`: the processors that other work was made to take beside the rows. */
  readonly load: {
    readonly before: number;
    /** During the run; earlier runs did not keep it. */
    readonly mean?: number;
    readonly highest: number;
    readonly after: number;
    readonly busy?: number;
  };
  readonly measures: Measures;
  /** Of the last run that drew them. */
  readonly curves?: readonly Curve[] | undefined;
}

/** What is measured beside the rows, each at its own time. */
export interface Parts {
  readonly curves?: readonly Curve[] | undefined;
  readonly manager?: ManagerFigures | undefined;
  /** The cost of a command under each sandbox engine. */
  readonly engines?: EngineFigures | undefined;
  readonly home?: HomeFigures | undefined;
  readonly fleet?: FleetFigures | undefined;
  readonly sizes?: SizeFigures | undefined;
}

interface Line {
  readonly row: BenchRow;
  readonly ours: Summary | undefined;
  readonly codex: Summary | undefined;
  readonly ratio: number | undefined;
  readonly verdict: Verdict;
}

export function linesOf(run: Run): readonly Line[] {
  const isQuick = run.kind === "quick";
  return benchRows.map((row) => {
    const found = run.measures[row.scenario]?.[isQuick ? (row.quick ?? row.measure) : row.measure];
    const [ours, codex] = [numeric(found?.ours), numeric(found?.codex)];
    const ratio = ours === undefined || codex === undefined || codex.median === 0 ? undefined : ours.median / codex.median;
    return { row, ours, codex, ratio, verdict: isScaled(row, isQuick) ? "open" : verdictOf(row, ratio) };
  });
}

const numeric = (value: Summary | string | undefined): Summary | undefined => (typeof value === "object" ? value : undefined);

const cell = (of: Summary | undefined, unit: string): string =>
  of === undefined ? "–" : `${short(of.median)}${of.n > 1 && of.max !== of.min ? ` (${short(of.min)}–${short(of.max)})` : ""} ${unit}`;
const limit = (row: BenchRow, value: number): string => (row.better === "more" ? `≥ ${value}×` : `${value}×`);
const times = (ratio: number | undefined): string => (ratio === undefined ? "–" : `${short(ratio)}×`);
/** What was to be measured and was not, for the exit code and the last lines of a run. */
export function failuresOf(run: Run): readonly string[] {
  return Object.entries(run.measures).flatMap(([name, { error }]) =>
    Object.entries(error ?? {}).map(([server, text]) => `${name}, ${server}: ${typeof text === "string" ? text : "no figures"}`),
  );
}
export function failuresOfPart(name: string, part: Parts): readonly string[] {
  if (part.sizes !== undefined)
    return part.sizes.points.filter(({ ours }) => ours === undefined).map(({ size, at }) => `sizes: ${size} ${at}`);
  return Object.values(part).some((found) => found !== undefined) ? [] : [name];
}

const verdictTexts: Readonly<Record<Verdict, string>> = { aim: "aim reached", kept: "kept", missed: "MISSED", open: "–" };

/** For the terminal, in columns. */
export function printed(run: Run): string {
  const measured = linesOf(run).filter(({ ours, codex }) => ours !== undefined || codex !== undefined);
  const rows = measured.map(({ row, ours, codex, ratio, verdict }) => [
    row.name + (isScaled(row, run.kind === "quick") ? ` (quick: ${row.quick?.split(":")[0]})` : ""),
    ...[cell(ours, row.unit), cell(codex, row.unit), times(ratio), limit(row, row.must), limit(row, row.aim), verdictTexts[verdict]],
  ]);
  const table = [["measure", "Parley", run.codex === null ? "Codex" : `Codex ${run.codex}`, "ratio", "must", "aim", ""], ...rows];
  const widths = table[0]?.map((_, i) => Math.max(...table.map((line) => (line[i] ?? "").length))) ?? [];
  const lines = table.map((line) =>
    line
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

export function printedParts(parts: Parts): string {
  const manager = Object.entries(parts.manager?.figures ?? {}).map(
    ([name, value]) =>
      `manager: ${name}: ${typeof value === "number" ? short(value) : value}${isKept(name, value) === false ? ` (must: ${managerLimits[name]?.must})` : ""}`,
  );
  const lines = [
    ...(parts.curves ?? []).flatMap((curve) => [...curveTable(curve).split("\n"), ""]),
    ...manager,
    ...(parts.engines === undefined ? [] : engineTable(parts.engines)),
    ...(parts.home === undefined ? [] : homeTable(parts.home)),
    ...(parts.fleet === undefined ? [] : fleetTable(parts.fleet)),
    ...(parts.sizes === undefined ? [] : sizeTables(parts.sizes)),
  ];
  return lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
}

/** The page of a full run. Each missed target is bold, with its cause from the table of causes. */
export function performancePage(
  run: Run,
  parts: Parts,
  { causes, history }: { readonly causes: Readonly<Record<string, string>>; readonly history: readonly StoredRun[] },
): string {
  const { machine, load } = run;
  const lines = linesOf(run);
  const missed = lines.filter(({ verdict }) => verdict === "missed");
  const rows = lines.map(({ row, ours, codex, ratio, verdict }) => {
    const bold = (text: string): string => (verdict === "missed" ? `**${text}**` : text);
    const isLacking = verdict === "open" && run.codex !== null;
    const others = isLacking ? "**not measured**" : verdictTexts[verdict];
    const cause = verdict === "missed" ? `**missed**: ${causes[row.id] ?? "cause not yet known"}` : others;
    return `| ${bold(row.name)} | ${cell(ours, row.unit)} | ${cell(codex, row.unit)} | ${bold(times(ratio))} | ${limit(row, row.must)} | ${limit(row, row.aim)} | ${cause} |`;
  });
  const reached = lines.filter(({ verdict }) => verdict === "aim").length;
  const lacking = lines.filter(({ verdict }) => verdict === "open").length;
  const text = `# Speed and size

<!-- Written by \`npm run bench:full\`. Change the causes in docs/bench/causes.json, then run \`node scripts/bench.ts --page\`. -->

Parley from its bundle, launcher included, beside the native program of Codex ${run.codex}, started directly and not through its npm launcher. Both answer the same client in one interleaved run (ours, theirs, ours, theirs …); a cell is the median over ${run.rounds} rounds, in brackets the lowest and the highest; starts are measured three times in each round, turns and approvals twice. Stored threads are files that Codex wrote.

${run.when.slice(0, 10)}, commit ${run.commit}, ${machine.cpus} × ${machine.cpu}, ${machine.memoryGB} GB, Linux ${machine.kernel}, Node ${machine.node}. Load average before the run ${short(load.before)}, ${load.mean === undefined ? "" : `${short(load.mean)} in the mean, `}highest ${short(load.highest)}, after it ${short(load.after)}.${load.busy === undefined || load.busy === 0 ? "" : ` Beside it, other work kept ${short(load.busy)} of the ${machine.cpus} processors busy (\`--busy\`).`}

${reached} of ${lines.length} rows reach their aim, ${missed.length === 0 ? "none misses its limit" : `${missed.length} ${missed.length === 1 ? "misses its limit" : "miss their limits"} (in bold)`}${lacking === 0 ? "" : `, ${lacking} could not be measured`}.

| measure | Parley | Codex ${run.codex} | ratio | must | aim | |
|---|---:|---:|---:|---:|---:|---|
${rows.join("\n")}
${lastRuns(history)}
## Costs grow with the work, not with the history

![Curves: a turn by the length of its thread, a new thread by the number of stored ones, a turn by the number of open threads](bench/curves.svg)

${(run.curves ?? []).map(curveTable).join("\n\n")}
${managerPart(parts)}${enginesPart(parts)}${homePart(parts)}${fleetPart(parts)}${sizesPart(parts.sizes)}
## Very large homes and folders

Measured by hand on a loaded machine of two cores, November 2026; processor time, since the clock told more of the load. What holds, whatever the figures: a page of threads waits for at most 2,000 files (\`src/store/index/large-homes.test.ts\`), and goes on from its cursor.

| 200,000 threads, no index yet | before | now |
|---|---:|---:|
| first page by creation | 2.2 s | 0.1 s |
| first page by last change | 2.9 s | 0.2 s |
| first page of a filter that fits nothing | 12.7 s | 0.25 s, with a cursor |

| a folder of a million files | before | now |
|---|---:|---:|
| snapshot for undo | took 35 s and 0.8 GB | none is taken; 0.5 s |
| file search | held everybody up for 7.7 s | 0.2 s |
| \`fs/readDirectory\` | held everybody up for 6.2 s | refused above 100,000 entries; 0.1 s |

## Before and after the rooms

Core, the store, the command line and the session clients were divided into rooms on 16 November 2026. The state before (7b2fe7c) and the one after it (with hooks, plugins and kinds of sub-agents, which came at the same time), in interleaved runs on two cores with a load average of 4 to 19 from other work; medians of 5 rounds, turns of 8.

| | before | after | ratio |
|---|---:|---:|---:|
| start, used home: initialize | 101 ms | 86.1 ms | 0.85× |
| start, used home: thread/start | 196 ms | 170 ms | 0.86× |
| first start, empty home: initialize | 127 ms | 132 ms | 1.04× |
| first start, empty home: thread/start | 265 ms | 282 ms | 1.06× |
| resident memory, idle | 66.2 MB | 67.6 MB | 1.02× |
| first turn | 165 ms | 140 ms | 0.85× |
| one-token turn, p50 | 15.1 ms | 15.6 ms | 1.03× |
| one-token turn, p95 | 25.4 ms | 28.7 ms | 1.13× |
| processor time of a turn | 14.8 ms | 15.8 ms | 1.07× |

About a quarter of what a turn costs more is the look at the config's files, of which there are more now; the rest is spread over many places.

## Measure it yourself

\`npm run bench\` takes under three minutes and shows the same table on a smaller scale; \`npm run bench:full\` takes about half an hour and writes this page, each part as soon as it is measured. Both need the shared benchmark folder beside the checkout (or where \`PARLEY_SHARED\` says). Codex is taken from the path or installed for the occasion; \`--codex FILE\` names another program. Without it our own figures are shown. Earlier runs are in [bench/history.json](bench/history.json).
`;
  return text;
}

function curveTable({ title, x, y, points }: Curve): string {
  const at = [...new Set(Object.values(points).flatMap((own) => own.map(([place]) => place)))].sort((a, b) => a - b);
  const row = (name: string, own: readonly (readonly [number, number])[] | undefined): string[] =>
    own === undefined ? [] : [`| ${name} | ${at.map((place) => short(own.find(([px]) => px === place)?.[1])).join(" | ")} |`];
  return [
    `**${title}** (${y})`,
    "",
    `| ${x} | ${at.map((place) => place.toLocaleString("en-US")).join(" | ")} |`,
    `|---|${at.map(() => "---:|").join("")}`,
    ...row("Parley", points.ours),
    ...row("Codex", points.codex),
  ].join("\n");
}

function managerPart({ manager }: Parts): string {
  if (manager === undefined) return "";
  const rows = Object.entries(manager.figures).map(([name, value]) => {
    const limit = managerLimits[name];
    const must = limit === undefined ? "" : `${limit.isMore === true ? "≥" : "≤"} ${short(limit.must)}`;
    const isMissed = isKept(name, value) === false;
    const bold = (text: string): string => (isMissed ? `**${text}**` : text);
    return `| ${bold(name)} | ${typeof value === "number" ? short(value) : value} | ${isMissed ? `**${must}: missed**` : must} |`;
  });
  return `
## The manager's page and bridge

In Debian's chromium without a graphics card, on the same two cores as the servers. ${manager.when.slice(0, 10)}, load average before the run ${short(manager.load.before)}, after it ${short(manager.load.after)}. Milliseconds of the main thread are its processor time, whatever else the machine did; "a frame" is one in which a sixtieth of a second's deltas arrive, of tokens of five characters, merged as the manager merges them. Frames a second and shares of the time are measured while the deltas arrive by the clock. \`npm run bench -- --only manager\` measures this alone, \`--full --write\` keeps it.

| measure | | must |
|---|---:|---:|
${rows.join("\n")}

How it is done: events are folded once per frame, and less often where drawing takes long, so that a fifth of the page's thread at most goes into text that streams in (\`apps/web/src/state/store.ts\`). Of markdown only the open block is parsed and drawn again; fences and tables are read on from where they were, long lists are cut, and the browser skips finished parts out of sight (\`apps/web/src/parts/markdown\`). Lists draw what is visible.

`;
}

const milliseconds = (ms: number): string => (ms >= 10 ? ms.toFixed(0) : ms.toFixed(1));

function engineTable({ engines }: EngineFigures): string[] {
  const names = Object.keys(engines) as (keyof typeof engines)[];
  const base = engines.bubblewrap;
  const rows = (Object.keys(engineMeasures) as (keyof typeof engineMeasures)[]).map((measure) => {
    const cells = names.map((name) => {
      const [of, against] = [engines[name]?.[measure], base?.[measure]];
      if (of === undefined) return "–";
      const ratio = against === undefined || name === "bubblewrap" ? "" : `, ${(of.median / against.median).toFixed(1)}×`;
      return `${milliseconds(of.median)} (${milliseconds(of.min)}–${milliseconds(of.max)}) ms${ratio}`;
    });
    return `| ${engineMeasures[measure]} | ${cells.join(" | ")} |`;
  });
  return [`| | ${names.join(" | ")} |`, `|---|${names.map(() => "---:|").join("")}`, ...rows];
}

function enginesPart({ engines }: Parts): string {
  if (engines === undefined) return "";
  return `
## The engines of the sandbox

\`/bin/true\` under \`workspace-write\`, run by the command runner itself, engine after engine in each of ${engines.rounds} rounds: the median, in brackets the lowest and the highest, and the ratio to bubblewrap. ${engines.when.slice(0, 10)}, load average before the run ${short(engines.load.before)}, highest ${short(engines.load.highest)}. Our own engines hold one sandbox ready after a command, and two while commands follow one another. \`npm run bench -- --only engines\` measures this alone, \`--write\` keeps it.

${engineTable(engines).join("\n")}

`;
}

function homeTable({ measures }: HomeFigures): string[] {
  const rows = Object.entries(measures).map(([name, { median, min, max, n }]) => {
    const shown = n === 0 ? "not measured" : `${milliseconds(median)} (${milliseconds(min)}–${milliseconds(max)}) ms`;
    return `| ${homeMeasures[name as keyof typeof homeMeasures]} | ${shown} | ${n} |`;
  });
  return ["| | median (lowest–highest) | measured |", "|---|---:|---:|", ...rows];
}

function homePart({ home }: Parts): string {
  if (home === undefined) return "";
  return `## Several processes on one home

A thread is followed, steered and answered through the process that runs it. Direct and relayed turns alternate in each of ${home.rounds} rounds. Limits: 2 ms more for a turn through another process, 1 s until a dead one's thread goes on. ${home.when.slice(0, 10)}, load average before the run ${short(home.load.before)}, highest ${short(home.load.highest)}. \`npm run bench -- --only home\` measures this alone, \`--write\` keeps it.

${homeTable(home).join("\n")}

`;
}

function fleetTable({ measures }: FleetFigures): string[] {
  const rows = Object.entries<FleetMeasure>(fleetMeasures).map(([name, { name: what, unit, must, aim, better }]) => {
    const values = [...(measures[name as FleetMeasureName] ?? [])].sort((a, b) => a - b);
    const median = values[values.length >> 1];
    if (median === undefined) return `| ${what} | not measured | | | |`;
    const range = `${short(values[0] ?? 0)}–${short(values.at(-1) ?? 0)}`;
    if (must === undefined || aim === undefined) return `| ${what} | ${short(median)} (${range}) ${unit} | | | |`;
    const isMore = better !== undefined;
    const reaches = (limit: number): boolean => (isMore ? median >= limit : median <= limit);
    const verdict = reaches(aim) ? "aim reached" : reaches(must) ? "kept" : "**missed**";
    const sign = isMore ? "≥ " : "";
    return `| ${what} | ${short(median)} (${range}) ${unit} | ${sign}${short(must)} | ${sign}${short(aim)} | ${verdict} |`;
  });
  return ["| | median (lowest–highest) | must | aim | |", "|---|---:|---:|---:|---|", ...rows];
}

function fleetPart({ fleet }: Parts): string {
  if (fleet === undefined) return "";
  return `## A fleet

Engine, workers, fronts and clients on this one machine. ${fleet.when.slice(0, 10)}, load average before the run ${short(fleet.load.before)}, highest ${short(fleet.load.highest)}. \`npm run bench -- --only fleet\` measures this alone, \`--write\` keeps it.

${fleetTable(fleet).join("\n")}

`;
}

/** What the history stores of a run. */
export function historyEntry(run: Run): StoredRun & Pick<Run, "codex"> {
  const rows = linesOf(run).flatMap(({ row, ours, codex, ratio }) =>
    ours === undefined ? [] : [[row.id, { ours: rounded(ours.median), codex: rounded(codex?.median), ratio: rounded(ratio) }]],
  );
  const { kind, when, commit, codex, rounds, load } = run;
  return { kind, when, commit, codex, rounds, load, rows: Object.fromEntries(rows) };
}
const rounded = (value: number | undefined): number | null => (value === undefined ? null : Number(value.toPrecision(4)));
