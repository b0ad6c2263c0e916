/**
 * Spares commands the login files: `bash -lc SCRIPT` is started with the environment that these files produce, once it is proven that they
 * change nothing else. For the command runner. What it starts differs only where the result cannot.
 */
import { setPriority } from "node:os";
import path from "node:path";
import type { Command, Confinement, RunningCommand } from "../../core/ports/command-runner.ts";
import { findRealPath } from "../../lib/file-status.ts";
import { findSystemProgram, programCandidates, searchPathOf } from "../../lib/program.ts";
import { loadShellParser } from "../../shell/command-line.ts";
import { capture, readyShell, type Snapshot } from "./capture.ts";

export type StartCommand = (command: Command, confinement: Confinement, signal: AbortSignal) => Promise<RunningCommand>;

interface Tries {
  /** Since the last command that was spared. */
  readonly count: number;
  readonly notBeforeMs: number;
}

interface Kept extends Snapshot {
  readonly bash: string;
  readonly untilMs: number;
}

const mostKept = 16;
/** Kinds of which one command has run: another one shows that a capture is worth its cost. */
const mostSeen = 32;
const usualKeepMs = 5 * 60_000;
/** The first command of its kind is not disturbed for this long. */
const waitMs = 250;
/** After a file was changed, or a capture failed without a reason that is known. */
const retryMs = 200;
/** Captures in a row of which nothing comes: where files change with each command, or the clock was set back. Later ones wait longer and longer. */
const mostFruitless = 3;
/** Enough to give way: with the lowest, a busy machine would never get to it. */
const lowPriority = 5;

/** `bash` with one script as a login shell, as models and people start it. */
const isLoginCommand = ({ argv: [program = "", flag = "", ...rest] }: Command): boolean =>
  rest.length === 1 && (flag === "-lc" || flag === "-cl") && path.basename(program) === "bash" && process.platform !== "win32";

/** Bash would do more than read its login files, or a terminal or a proxy of the command's own could make a difference. */
const mayBeSpared = (command: Command, { network }: Confinement): boolean => {
  const { tty, env } = command;
  return (
    isLoginCommand(command) &&
    tty === undefined &&
    network === undefined &&
    env["HOME"]?.startsWith("/") === true &&
    !shellSettings.some((name) => Object.hasOwn(env, name))
  );
};
const shellSettings = ["BASH_ENV", "POSIXLY_CORRECT", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_XTRACEFD"];

/** All that a command can do or see; only commands that are the same in it share a snapshot. */
const kindOf = ({ argv: [program], env, cwd }: Command, confinement: Confinement): string =>
  JSON.stringify([program, cwd, env, confinement]);

export class LoginSnapshots {
  readonly #start: StartCommand;
  readonly #keepMs: number;
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, Kept>();
  readonly #seen = new Set<string>();
  readonly #tries = new Map<string, Tries>();
  readonly #closing = new AbortController();
  #capturing: Promise<void> | undefined;

  /** `start` runs a command as it is. */
  constructor(start: StartCommand, keepMs = usualKeepMs) {
    this.#start = start;
    this.#keepMs = keepMs;
  }

  /** Resolves when no capture is running. */
  get settled(): Promise<void> {
    return this.#capturing ?? Promise.resolve();
  }

  /** What to start in place of this command; undefined where it needs its login files. */
  spared(command: Command, confinement: Confinement): Command | undefined {
    if (!mayBeSpared(command, confinement)) return undefined;
    const kind = kindOf(command, confinement);
    const kept = this.#valid(kind);
    if (kept?.env === undefined) return undefined;
    this.#kept.delete(kind);
    this.#kept.set(kind, kept);
    this.#tries.delete(kind);
    return { ...command, argv: readyShell(command, kept.bash, command.argv[2] ?? ""), env: kept.env };
  }

  /** A command was started with its login files: from the second one of its kind on, captures what they produce, for the next. */
  noticed(command: Command, confinement: Confinement, running: RunningCommand): void {
    if (this.#capturing !== undefined || this.#closing.signal.aborted || !mayBeSpared(command, confinement)) return;
    const kind = kindOf(command, confinement);
    const isFirst = !this.#seen.delete(kind);
    addLast(this.#seen, kind, mostSeen);
    if (isFirst || performance.now() < (this.#tries.get(kind)?.notBeforeMs ?? 0)) return;
    const found = this.#valid(kind) === undefined ? systemBash(command) : undefined;
    if (found === undefined) return;
    this.#capturing = this.#capture(kind, { command, confinement, ...found }, running)
      // It could not be started once more; a later command of the kind tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#capturing = undefined;
      });
  }

  close(): void {
    this.#closing.abort();
    this.#kept.clear();
  }

  #valid(kind: string): Kept | undefined {
    const kept = this.#kept.get(kind);
    if (kept !== undefined && performance.now() < kept.untilMs && kept.files.areSame()) return kept;
    this.#kept.delete(kind);
    return undefined;
  }

  #count(kind: string, nowMs: number): void {
    const count = (this.#tries.get(kind)?.count ?? 0) + 1;
    const waitMs = count <= mostFruitless ? 0 : Math.min(this.#keepMs, retryMs * 2 ** count);
    this.#tries.delete(kind);
    this.#tries.set(kind, { count, notBeforeMs: nowMs + waitMs });
    const [oldest] = this.#tries.keys();
    if (this.#tries.size > mostSeen && oldest !== undefined) this.#tries.delete(oldest);
  }

  async #capture(kind: string, { command, confinement, bash, before }: Known, running: RunningCommand): Promise<void> {
    const { signal } = this.#closing;
    await untilQuiet(running, signal);
    if (signal.aborted) return;
    const parser = await loadShellParser();
    const startedMs = performance.now();
    this.#count(kind, startedMs);
    const run = async (own: Command): Promise<RunningCommand> => {
      const started = await this.#start(own, confinement, signal);
      lowerPriority(started.pid);
      return started;
    };
    const snapshot = await capture({ command, bash, before, run, parser });
    if (signal.aborted) return;
    this.#kept.set(kind, { ...snapshot, bash, untilMs: startedMs + (snapshot.isYoung ? retryMs : this.#keepMs) });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** The oldest one makes room. */
function addLast(to: Set<string>, value: string, most: number): void {
  to.add(value);
  const [oldest] = to;
  if (to.size > most && oldest !== undefined) to.delete(oldest);
}

interface Known extends BashFound {
  readonly command: Command;
  readonly confinement: Confinement;
}

interface BashFound {
  readonly bash: string;
  readonly before: readonly string[];
}

/** The system's own bash, if that is what the command means, and the places that are searched for it earlier. */
function systemBash({ argv: [program = ""], env, cwd }: Command): BashFound | undefined {
  const real = findRealPath(findSystemProgram("bash") ?? "");
  const places = programCandidates(program, searchPathOf(env), cwd);
  const at = places.findIndex((place) => findRealPath(place) !== undefined);
  const bash = places[at];
  return bash !== undefined && real !== undefined && findRealPath(bash) === real ? { bash, before: places.slice(0, at) } : undefined;
}

/** Until the command has ended, or has had time to get going. */
function untilQuiet(running: RunningCommand, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => now(), waitMs).unref();
    const now = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", now);
      resolve();
    };
    signal.addEventListener("abort", now);
    void running.exit.then(now);
  });
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority);
  } catch {
    // It has ended.
  }
}
