/** `npm run bench` and `npm run bench:full`: speed and size compared with the native Codex server, as a table, a plot, a history and a page. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Codex, findCodex } from "./bench/codex.ts";
import { drawCurves } from "./bench/curves.ts";
import { type EngineFigures, measureEngines } from "./bench/engines.ts";
import type { FleetFigures } from "./bench/fleet-measures.ts";
import { type HomeFigures, measureHome } from "./bench/home.ts";
import { type Bench, openBench, type Spec } from "./bench/lab.ts";
import type { StoredRun } from "./bench/last-runs.ts";
import type { ManagerFigures } from "./bench/manager-rows.ts";
import { type Measures, measure, scenarioNames } from "./bench/measure.ts";
import { startOtherWork } from "./bench/other-work.ts";
import { plot, plotSizes } from "./bench/plot.ts";
import { failuresOf, failuresOfPart, historyEntry, type Parts, performancePage, printed, printedParts, type Run } from "./bench/report.ts";
import { measureSizes, type SizeFigures, type SizeName, type SizePoint, sizes } from "./bench/sizes.ts";
import { sectionOf } from "./bench-agent/table.ts";
import { buildIfOld } from "./build.ts";

const root = path.resolve(import.meta.dirname, "..");
const cache = path.join(root, "node_modules/.cache/parley-bench");
const docs = path.join(root, "docs");
const files = {
  page: path.join(docs, "performance.md"),
  latest: path.join(docs, "bench/latest.json"),
  causes: path.join(docs, "bench/causes.json"),
  engines: path.join(docs, "bench/engines.json"),
  home: path.join(docs, "bench/home.json"),
  fleet: path.join(docs, "bench/fleet.json"),
  sizes: path.join(docs, "bench/sizes.json"),
  sizeCurves: path.join(docs, "bench/sizes.svg"),
  manager: path.join(docs, "bench/manager.json"),
};
/** Quick runs are for development; full ones are for the repository. */
const kept = (kind: Run["kind"], name: string): string => path.join(kind === "full" ? docs : path.join(root, "test-output"), "bench", name);
const maxHistory = 100;
const managerMs = 600_000;

const { values: flags } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    rounds: { type: "string" },
    /** How many times the rows of the table are measured, one run after another; everything else is measured once, after the last. */
    runs: { type: "string", default: "1" },
    /** Other work beside the rows, in processors that it keeps busy on average: on two cores 1 made load averages that peaked at 4.5 to 6.6. */
    busy: { type: "string", default: "0" },
    /**
     * Comma-separated scenarios (`rows` for all that have a row of the table), including `curves`, `manager`, `engines`, `home`, `fleet` and `sizes` (or one of them: `size-home`, `size-thread`,
     * `size-clients`, `size-repository`, `size-threads`). Nothing is written then, unless `--write` is given or it is a full run of `rows`.
     */
    only: { type: "string" },
    /** Stores the figures of the manager, of the engines, of several processes on one home, of a fleet and of the sizes, and rewrites the page, even for a run of them alone. */
    write: { type: "boolean", default: false },
    codex: { type: "string" },
    "no-codex": { type: "boolean", default: false },
    /** Rewrites the page from the latest full run, after its causes were changed. */
    page: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  if (flags.page) {
    writePage(latestRun());
    return 0;
  }
  await buildIfOld();
  const shared = process.env["PARLEY_SHARED"] ?? path.resolve(root, "../shared");
  const codex = flags["no-codex"] ? undefined : findCodex(flags.codex ?? process.env["PARLEY_BENCH_CODEX"], path.join(cache, "codex"));
  const place = path.join(cache, `run-${process.pid}`);
  mkdirSync(place, { recursive: true });
  const bench = await openBench(shared, place);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => abort(stop, bench));
  const scene: Scene = { bench, codex, signal: stop.signal };
  const hasRows = scenarioNames.some((name) => chosen.includes(name));
  const failures: string[] = [];
  try {
    for (let run = 0; run < (hasRows ? Number(flags.runs) : 0); run++) {
      const measured = await measureRun(scene);
      process.stdout.write(printed(measured));
      if (stop.signal.aborted) return 130;
      keepRun(measured);
      failures.push(...failuresOf(measured));
    }
    for (const name of partNames.filter((name) => chosen.includes(name) || (name.startsWith("size-") && chosen.includes("sizes")))) {
      const found = await measurePart(name, scene);
      process.stdout.write(printedParts(found));
      if (stop.signal.aborted) return 130;
      keepPart(found);
      failures.push(...failuresOfPart(name, found));
    }
    for (const failure of failures) process.stderr.write(`FAILED ${failure}\n`);
    return failures.length === 0 ? 0 : 1;
  } finally {
    bench?.stop();
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** What is complete is shown and kept; of what is under way, only the rows so far are shown. A second signal ends the process as it would without a handler. */
function abort(stop: AbortController, bench: Bench | undefined): void {
  process.stderr.write("Stopping; what is measured so far follows.\n");
  stop.abort();
  bench?.stop();
}

interface Scene {
  readonly bench: Bench | undefined;
  readonly codex: Codex | undefined;
  readonly signal: AbortSignal;
}

/** The rows of the table. */
async function measureRun({ bench, codex, signal }: Scene): Promise<Run> {
  const started = performance.now();
  const before = loadavg()[0] ?? 0;
  if (before > 0.5) process.stderr.write(`The machine is not idle (load ${before.toFixed(1)}): trust the ratios only so far.\n`);
  if (bench === undefined)
    process.stderr.write(
      "The shared benchmark is not there (PARLEY_SHARED): only the manager, the engines, the home and the sizes are measured.\n",
    );
  const rounds = Number(flags.rounds ?? (quick ? 1 : 4));
  const rows = bench === undefined ? { measures: {}, load: [] } : await measureRows(bench, specsOf(codex), rounds, signal);
  const after = loadavg()[0] ?? 0;
  return {
    kind: quick ? "quick" : "full",
    when: new Date().toISOString(),
    minutes: Number(((performance.now() - started) / 60_000).toFixed(1)),
    commit: commit(),
    codex: codex?.version ?? null,
    rounds,
    machine: {
      cpus: cpus().length,
      cpu: cpus()[0]?.model ?? "unknown",
      memoryGB: Math.round(totalmem() / 2 ** 30),
      kernel: release(),
      node: process.versions.node,
    },
    load: { before, mean: mean(rows.load), highest: Math.max(before, after, ...rows.load), after, busy },
    measures: rows.measures,
  };
}

const mean = (load: readonly number[]): number => Number((load.reduce((sum, each) => sum + each, 0) / Math.max(1, load.length)).toFixed(2));

async function measureRows(
  bench: Bench,
  specs: readonly Spec[],
  rounds: number,
  signal: AbortSignal,
): Promise<{ readonly measures: Measures; readonly load: readonly number[] }> {
  const only = scenarioNames.filter((name) => chosen.includes(name));
  const stopWork = startOtherWork(busy);
  try {
    return await measure(bench, specs, { quick, rounds, only, signal });
  } finally {
    stopWork();
  }
}

async function measurePart(name: string, { bench, codex, signal }: Scene): Promise<Parts> {
  const program = path.join(root, "bin/parley");
  switch (name) {
    case "curves": {
      const specs = specsOf(codex).filter((spec) => !quick || spec.name === "ours");
      return bench === undefined ? {} : { curves: await drawCurves(bench, specs, quick, signal) };
    }
    case "manager":
      return { manager: measureManager() };
    case "engines":
      return { engines: await measureEngines(quick ? 3 : 8, signal) };
    case "home":
      return { home: await measureHome(program, quick ? 2 : 5, signal) };
    case "fleet":
      return { fleet: await (await import("./bench/fleet.ts")).measureFleet(program, signal) };
    default: {
      const only = [name.slice("size-".length)];
      return { sizes: await measureSizes({ ours: program, codex: codex?.program, quick, only, signal }) };
    }
  }
}
const sizeNames = Object.keys(sizes) as SizeName[];
const quick = !flags.full;
const busy = Number(flags.busy);
/** What is measured beside the rows of the table, in this order. */
const partNames = ["curves", "manager", "engines", "home", "fleet", ...sizeNames.map((name) => `size-${name}`)];
/** The table's rows once more: a run of its own for the history, while the other parts of the page stay as they are. */
const isRowsOnly = flags.only === "rows";
const chosen = isRowsOnly ? scenarioNames : (flags.only?.split(",") ?? [...scenarioNames, ...partNames]);

/** The reference comes first. Both are measured on threads that Codex wrote. */
function specsOf(codex: Codex | undefined): readonly Spec[] {
  const ours: Spec = { name: "ours", command: `'${path.join(root, "bin/parley")}' app-server`, env: {} };
  if (codex === undefined) return [ours];
  const theirs: Spec = { name: "codex", command: `'${codex.program}' app-server`, env: {} };
  return [theirs, { ...ours, recordWith: theirs }];
}

/** The manager's rows come from its own script, as JSON: arbitrarily nested names with figures. */
function measureManager(): ManagerFigures | undefined {
  const script = path.join(root, "scripts/bench-page.ts");
  const [when, before] = [new Date().toISOString(), loadavg()[0] ?? 0];
  process.stderr.write("manager …\n");
  const args = [script, ...(flags.full ? ["--full"] : [])];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: managerMs, cwd: root });
  try {
    const figures = flat(JSON.parse(stdout.slice(stdout.indexOf("{"))));
    return { when, load: { before, after: loadavg()[0] ?? 0 }, figures };
  } catch {
    process.stderr.write(`manager: FAILED (${status}) ${stderr.trim().split("\n").at(-1) ?? ""}\n`);
    return undefined;
  }
}

function flat(value: object, under = ""): Record<string, number | string> {
  const entries = Object.entries(value).flatMap(([name, inner]): [string, number | string][] => {
    const full = under === "" ? name : `${under}: ${name}`;
    if (typeof inner === "object" && inner !== null) return Object.entries(flat(inner, full));
    return typeof inner === "number" || typeof inner === "string" ? [[full, inner]] : [[full, String(inner)]];
  });
  return Object.fromEntries(entries);
}

function commit(): string {
  const git = (...args: string[]): string => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";
  // What an earlier run of a row of them has written is no change of what is measured.
  const isChanged = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/bench", ":!docs/performance.md") !== "";
  return `${git("rev-parse", "--short", "HEAD") || "unknown"}${isChanged ? " with changes" : ""}`;
}

/** Of some rows alone nothing is stored. A run without the other server has no ratios, so the page stays. */
function keepRun(run: Run): void {
  if (flags.only !== undefined && !isRowsOnly) return;
  const history = kept(run.kind, "history.json");
  mkdirSync(path.dirname(history), { recursive: true });
  const lines = [...historyOf(run.kind), historyEntry(run)].slice(-maxHistory).map((entry) => `  ${JSON.stringify(entry)}`);
  writeFileSync(history, `[\n${lines.join(",\n")}\n]\n`);
  process.stderr.write(`Took ${run.minutes} min. History: ${path.relative(root, history)}\n`);
  if (run.kind === "quick" || run.codex === null) return;
  keepLatest({ ...latestRun(), ...run, measures: figuresOf(run.measures) });
}

/** Each part as soon as it is measured, so that a run that is interrupted keeps what it has. Those of the page are of full runs, or asked for by `--write`. */
function keepPart(part: Parts): void {
  if (part.curves !== undefined && part.curves.length > 0 && (quick || flags.write || flags.only === undefined)) {
    const file = kept(quick ? "quick" : "full", "curves.svg");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, plot(part.curves));
    if (!quick) keepLatest({ ...latestRun(), curves: part.curves });
  }
  if (!flags.write && (quick || flags.only !== undefined)) return;
  for (const name of ["engines", "home", "fleet"] as const)
    if (part[name] !== undefined) writeFileSync(files[name], `${JSON.stringify(part[name])}\n`);
  if (!quick && part.manager !== undefined) writeFileSync(files.manager, `${JSON.stringify(part.manager)}\n`);
  if (!quick && part.sizes !== undefined) {
    const all = withEarlier(part.sizes);
    writeFileSync(files.sizes, `${JSON.stringify(all)}\n`);
    writeFileSync(files.sizeCurves, plotSizes(all));
  }
  writePage(latestRun());
}

const latestRun = (): Run => JSON.parse(readFileSync(files.latest, "utf8"));
function keepLatest(run: Run): void {
  writeFileSync(files.latest, `${JSON.stringify(run)}\n`);
  writePage(run);
}

/** Sizes that were not measured this time keep their figures, with their own date and load. */
function withEarlier(fresh: SizeFigures): SizeFigures {
  const before = sizesOf();
  const own = { when: before?.when ?? fresh.when, load: before?.load.highest ?? 0 };
  const kept = before?.points.filter(({ size }) => !fresh.points.some((point) => point.size === size)) ?? [];
  const earlier = kept.map((point): SizePoint => ({ ...own, ...point }));
  const order = ({ size }: SizePoint): number => sizeNames.indexOf(size);
  return { ...fresh, points: [...earlier, ...fresh.points].toSorted((a, b) => order(a) - order(b)) };
}
const sizesOf = (): SizeFigures | undefined => (existsSync(files.sizes) ? JSON.parse(readFileSync(files.sizes, "utf8")) : undefined);

/** Without error messages: they may name folders of this machine. */
function figuresOf(measures: Measures): Measures {
  const numeric = (found: Measures[string][string]): boolean => Object.values(found).every((value) => typeof value === "object");
  return Object.fromEntries(
    Object.entries(measures).map(([name, figures]) => [
      name,
      Object.fromEntries(Object.entries(figures).filter(([, found]) => numeric(found))),
    ]),
  );
}

function historyOf(kind: Run["kind"]): readonly StoredRun[] {
  const file = kept(kind, "history.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}

function writePage(run: Run): void {
  const causes = existsSync(files.causes) ? JSON.parse(readFileSync(files.causes, "utf8")) : {};
  const old = existsSync(files.page) ? sectionOf(readFileSync(files.page, "utf8")) : "";
  const engines: EngineFigures | undefined = existsSync(files.engines) ? JSON.parse(readFileSync(files.engines, "utf8")) : undefined;
  const home: HomeFigures | undefined = existsSync(files.home) ? JSON.parse(readFileSync(files.home, "utf8")) : undefined;
  const fleet: FleetFigures | undefined = existsSync(files.fleet) ? JSON.parse(readFileSync(files.fleet, "utf8")) : undefined;
  const manager: ManagerFigures | undefined = existsSync(files.manager) ? JSON.parse(readFileSync(files.manager, "utf8")) : undefined;
  writeFileSync(
    files.page,
    [performancePage(run, { engines, home, fleet, manager, sizes: sizesOf() }, { causes, history: historyOf("full") }), old]
      .filter((text) => text !== "")
      .join("\n"),
  );
  process.stderr.write(`Wrote ${path.relative(root, files.page)}\n`);
}

process.exit(await main());
