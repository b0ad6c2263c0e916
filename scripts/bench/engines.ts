/** The cost of one command under each engine of the Linux sandbox: the first of a server, one after a pause, and a hundred in a row. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { type ClosableRunner, createCommandRunner } from "../../src/exec/runner.ts";
import { engineNames } from "../../src/exec/sandbox/engines/engine.ts";
import { type Summary, summaryOf } from "./measure.ts";

type EngineName = (typeof engineNames)[number];

export interface EngineFigures {
  readonly when: string;
  readonly rounds: number;
  /** Load averages: before, and the highest. */
  readonly load: { readonly before: number; readonly highest: number };
  /** Engine → measure → milliseconds. Engines that this machine does not support are left out. */
  readonly engines: Partial<Record<EngineName, Readonly<Record<EngineMeasure, Summary>>>>;
}

export const engineMeasures = {
  cold: "first command of a server, trying the engine out included",
  warm: "one command after a pause",
  row: "100 in a row, each",
} as const;
type EngineMeasure = keyof typeof engineMeasures;

const inRow = 100;
const pauses = 5;
/** Long enough for the next process to be ready, as between two calls of a model. */
const pauseMs = 300;

/** Round by round through all engines, so that other load on the machine affects all alike. */
export async function measureEngines(rounds: number, signal: AbortSignal): Promise<EngineFigures | undefined> {
  if (process.platform !== "linux") return undefined;
  const before = loadavg()[0] ?? 0;
  const load: number[] = [before];
  const found = new Map<EngineName, Record<EngineMeasure, number[]>>();
  for (let round = 1; round <= rounds && !signal.aborted; round++)
    for (const engine of engineNames) {
      process.stderr.write(`engines ${round}/${rounds} ${engine}\n`);
      const figures = await oneRound(engine);
      if (figures === undefined) continue;
      const all = found.get(engine) ?? { cold: [], warm: [], row: [] };
      found.set(engine, all);
      for (const [name, values] of Object.entries(figures)) all[name as EngineMeasure].push(...values);
      load.push(loadavg()[0] ?? 0);
    }
  const engines = Object.fromEntries(
    [...found].map(([engine, { cold, warm, row }]) => [engine, { cold: summaryOf(cold), warm: summaryOf(warm), row: summaryOf(row) }]),
  );
  return { when: new Date().toISOString(), rounds, load: { before, highest: Math.max(...load) }, engines };
}

/** Undefined if this machine does not support the engine. */
async function oneRound(engine: EngineName): Promise<Record<EngineMeasure, number[]> | undefined> {
  // Not where commands may write: Landlock could not protect the home from them.
  const base = mkdtempSync("/var/tmp/parley-engines-");
  const workspace = path.join(base, "workspace");
  for (const folder of [path.join(base, "home"), workspace, path.join(workspace, ".git")]) mkdirSync(folder);
  const runner = createCommandRunner({ codexHome: path.join(base, "home"), engine: () => engine });
  try {
    const cold = await timed(() => run(runner, workspace)).catch((error: Error) => {
      process.stderr.write(`${engine} is left out: ${error.message}\n`);
      return undefined;
    });
    if (cold === undefined) return undefined;
    const warm: number[] = [];
    for (let i = 0; i < pauses; i++) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      warm.push(await timed(() => run(runner, workspace)));
    }
    const all = await timed(async () => {
      for (let i = 0; i < inRow; i++) await run(runner, workspace);
    });
    return { cold: [cold], warm, row: [all / inRow] };
  } finally {
    await runner.close();
    rmSync(base, { recursive: true, force: true });
  }
}

async function timed(act: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

async function run(runner: ClosableRunner, workspace: string): Promise<void> {
  const command = { argv: ["/bin/true"], cwd: workspace, env: { PATH: "/usr/bin:/bin" }, stdin: "closed" } as const;
  const confinement = { policy: { type: "workspaceWrite" }, workspaceRoots: [workspace], namesMayBeOpen: true } as const;
  const running = await runner.start(command, confinement, new AbortController().signal);
  const { exitCode } = await running.exit;
  if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
}
