/** For the unit tests of this folder: a home, a workspace and an outside of their own, and commands run through the real runner. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import type { Command, CommandExit, CommandLimits, Confinement, RunningCommand } from "../core/ports/command-runner.ts";
import { findSystemProgram } from "./program.ts";
import { type ClosableRunner, type CommandRunnerOptions, createCommandRunner } from "./spawn.ts";

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
  /** Runs a line with bash to its end. */
  sh(line: string, options?: BenchOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export interface BenchOptions extends Partial<Omit<Command, "argv">> {
  readonly policy?: Confinement["policy"];
  readonly roots?: readonly string[];
  readonly protectedNames?: readonly string[];
  readonly limits?: CommandLimits;
  readonly signal?: AbortSignal;
}

/** Not under the system's temporary folder, which commands may write. */
export function openBench(options: Partial<CommandRunnerOptions> = {}): Bench {
  const base = mkdtempSync("/var/tmp/parley-exec-");
  const at = (name: string): string => path.join(base, name);
  for (const name of ["home", "work", "outside"]) mkdirSync(at(name));
  const runner = createCommandRunner({ codexHome: at("home"), userHome: base, graceMs: 300, ...options });
  const start: Bench["start"] = async (argv, { policy, roots, protectedNames, limits, signal, ...command } = {}) => {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" };
    const confinement = {
      policy: policy ?? { type: "workspaceWrite" as const },
      workspaceRoots: roots ?? [at("work")],
      protectedNames: protectedNames ?? [],
      ...(limits === undefined ? {} : { limits }),
    };
    const running = await runner.start(
      { argv, cwd: at("work"), env, stdin: "closed", timeoutMs: 20_000, ...command },
      confinement,
      signal ?? new AbortController().signal,
    );
    const chunks: Uint8Array[] = [];
    running.onOutput = (chunk) => chunks.push(Buffer.from(chunk));
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

/** Why tests of the Linux sandbox cannot run here; false when they can. */
export const noBubblewrap: string | false =
  process.platform !== "linux" ? "needs Linux" : findSystemProgram("bwrap") === undefined ? "needs bubblewrap (bwrap)" : false;
