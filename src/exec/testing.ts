/** For the unit tests of this folder: temporary home, workspace and outside folders, and commands run through the real runner. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Command, CommandExit, CommandLimits, Confinement, RunningCommand } from "../core/ports/command-runner.ts";
import { findSystemProgram } from "../lib/program.ts";
import { type ClosableRunner, type CommandRunnerOptions, createCommandRunner } from "./runner.ts";
import { EngineChoice } from "./sandbox/engines/choose.ts";
import { type EngineName, engineNames } from "./sandbox/engines/engine.ts";

export interface Outcome extends CommandExit {
  readonly output: string;
}

export interface Bench {
  readonly base: string;
  readonly home: string;
  readonly work: string;
  readonly outside: string;
  readonly runner: ClosableRunner;
  start(argv: readonly string[], options?: BenchOptions): Promise<RunningCommand & { output: () => string }>;
  /** Runs a line with bash and waits for its end. */
  sh(line: string, options?: BenchOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export interface BenchOptions extends Partial<Omit<Command, "argv">> {
  readonly policy?: Confinement["policy"];
  readonly files?: Confinement["files"];
  readonly roots?: readonly string[];
  readonly protectedNames?: readonly string[];
  readonly namesMayBeOpen?: boolean;
  readonly limits?: CommandLimits;
  readonly network?: Confinement["network"];
  readonly signal?: AbortSignal;
}

/** The engine that PARLEY_SANDBOX_ENGINE forces for the whole run, if any. */
const forcedEngine = process.env["PARLEY_SANDBOX_ENGINE"] || "auto";

/** Not under the system's temporary folder, which commands may write. */
export function openBench({
  engine = forcedEngine,
  ...options
}: Partial<Omit<CommandRunnerOptions, "engine">> & { engine?: string | undefined } = {}): Bench {
  const base = mkdtempSync("/var/tmp/parley-exec-");
  const at = (name: string): string => path.join(base, name);
  for (const name of ["home", "work", "outside"]) mkdirSync(at(name));
  const runner = createCommandRunner({
    codexHome: at("home"),
    userHome: base,
    graceMs: 300,
    ...options,
    engine: () => engine,
  });
  const start: Bench["start"] = async (
    argv,
    { policy, files, roots, protectedNames, namesMayBeOpen, limits, network, signal, ...command } = {},
  ) => {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" };
    const confinement = {
      policy: policy ?? { type: "workspaceWrite" as const },
      files,
      workspaceRoots: roots ?? [at("work")],
      protectedNames: protectedNames ?? [],
      namesMayBeOpen: namesMayBeOpen ?? true,
      network,
      ...(limits === undefined ? {} : { limits }),
    };
    const running = await runner.start(
      { argv, cwd: at("work"), env, stdin: "closed", timeoutMs: 20_000, ...command },
      confinement,
      signal ?? new AbortController().signal,
    );
    const chunks: Uint8Array[] = [];
    running.onOutput = (chunk) => void chunks.push(Buffer.from(chunk));
    return Object.assign(running, { output: () => Buffer.concat(chunks).toString() });
  };
  return {
    ...{ base, home: at("home"), work: at("work"), outside: at("outside"), runner, start },
    async sh(line, options) {
      const running = await start(["/bin/bash", "-c", line], options);
      const exit = await running.exit;
      return { ...exit, output: running.output() };
    },
    async close() {
      await runner.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** For the programs of engines that are only tried out here. */
export const programFolder = process.platform === "linux" ? mkdtempSync("/var/tmp/parley-engines-") : undefined;
if (programFolder !== undefined) process.once("exit", () => rmSync(programFolder, { recursive: true, force: true }));

/** Why tests that need bubblewrap itself cannot run here; false if they can. Only for what no other engine does. */
export const noBubblewrap: string | false =
  process.platform !== "linux" ? "needs Linux" : findSystemProgram("bwrap") === undefined ? "needs bubblewrap (bwrap)" : false;

/** The engine that confines commands in this test run, unless a test names another; undefined if there is none. */
export const engineHere: EngineName | undefined = await bestEngine();
/** Why tests with a confined command cannot run here; false if they can. */
export const noSandbox: string | false =
  engineHere === undefined ? "needs a sandbox (Linux with bubblewrap, user namespaces or Landlock)" : false;
/** The same for tests in which names inside the workspace must be protected. */
export const noProtection: string | false =
  engineHere === undefined || engineHere === "landlock" ? "needs a sandbox that mounts (Linux with bubblewrap or user namespaces)" : false;

async function bestEngine(): Promise<EngineName | undefined> {
  if (process.platform !== "linux") return undefined;
  const found = await new EngineChoice(() => forcedEngine, programFolder).get();
  return "refused" in found ? undefined : found.engine.name;
}

export interface TestedEngine {
  readonly engine: EngineName;
  /** Why it is not available here; false if it is. */
  readonly skip: string | false;
  /** Whether it mounts, and so can protect names inside writable folders. */
  readonly mounts: boolean;
  /** Defines a test only for an engine that mounts: docs/security.md lists what the others cannot do. */
  protects(name: string, body: () => Promise<void>): void;
}

/**
 * Every engine of the Linux sandbox, or the one forced for the whole run, probed once. For `describe`, so that tests that cannot run here
 * are skipped by name.
 */
export async function testedEngines(): Promise<readonly TestedEngine[]> {
  const names = engineNames.filter((name) => forcedEngine === "auto" || name === forcedEngine);
  return await Promise.all(names.map(tried));
}

async function tried(engine: EngineName): Promise<TestedEngine> {
  const mounts = engine !== "landlock";
  const protects: TestedEngine["protects"] = (name, body) => void (mounts && test(name, body));
  if (process.platform !== "linux") return { engine, mounts, protects, skip: "needs Linux" };
  const found = await new EngineChoice(() => engine, programFolder).get();
  return { engine, mounts, protects, skip: "refused" in found ? `needs the ${engine} engine: ${found.refused}` : false };
}
