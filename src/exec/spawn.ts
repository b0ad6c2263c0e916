/** Runs commands: confined as asked, in a session of their own, with nothing left behind. Implements the CommandRunner port. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import {
  type Command,
  CommandRefused,
  type CommandRunner,
  type Confinement,
  type DescribedSandbox,
  type RunningCommand,
} from "../core/ports/command-runner.ts";
import { knownSecretFiles } from "../home/secret-files.ts";
import { errorMessage } from "../lib/error-text.ts";
import { KnownPrograms, searchPathOf } from "../lib/program.ts";
import { CommandGuard, kernelLimits, limitedArgv, MemoryAlarm } from "./command-limits.ts";
import type { Room } from "./command-limits-room.ts";
import { describeSandbox } from "./describe-sandbox.ts";
import { inheritableDescriptors } from "./descriptors.ts";
import { Janitor, markName, type WatchedCommand } from "./janitor.ts";
import { confinedCommandId, LeftoverNotes } from "./leftovers.ts";
import { LiveCommand, type LiveParts } from "./live-command.ts";
import { PipePool } from "./pipes.ts";
import { planTerminal, type Terminal, type TerminalPlan } from "./pty.ts";
import { createSandbox } from "./sandbox/create-sandbox.ts";
import { OpenSandbox } from "./sandbox/none.ts";
import type { PlatformSandbox } from "./sandbox/platform-sandbox.ts";
import { SpareProcesses } from "./spare-process.ts";
import { startWired } from "./wiring.ts";

export interface CommandRunnerOptions {
  readonly codexHome: string;
  /** The user's home; taken from the system when left out. */
  readonly userHome?: string;
  /** Real paths of what the server itself is run from: read-only for commands wherever it lies. */
  readonly program?: readonly string[];
  /** Files outside the home that hold secrets of the server; those that are noted in the home are known without it. */
  readonly secretFiles?: () => readonly string[];
  /** Between TERM and KILL. */
  readonly graceMs?: number;
  /** How long a process that is dear to start is held ready after the last command. */
  readonly holdMs?: number;
  /** The engine of the Linux sandbox that the settings name; the best one of this machine when left out. */
  readonly engine?: (() => string) | undefined;
  /** Instead of the platform's own. */
  readonly sandbox?: PlatformSandbox;
  /** How much memory and disk there is, instead of what the machine says. */
  readonly room?: Room;
}

export interface ClosableRunner extends CommandRunner {
  /** Ends every command of which something lives, and the helper. */
  close(): Promise<void>;
}

export function createCommandRunner(options: CommandRunnerOptions): ClosableRunner {
  return new Runner(options);
}

const settleAfterMs = 2_000;
/** Commands that follow one another share their stand-ins in temporary folders; other programs must not meet them for longer. */
const standInsMs = 30;
/** What a server that was killed left is nobody's hurry: the first answers come first. */
const clearAfterMs = 1_000;
const outOfMemory = "\n[ended by the kernel: the machine, or the memory that this server may use, ran out of memory]\n";

class Runner implements ClosableRunner {
  readonly #graceMs: number;
  readonly #confined: PlatformSandbox;
  readonly #open = new OpenSandbox();
  readonly #pipes: PipePool;
  readonly #janitor: Janitor;
  readonly #spares: SpareProcesses;
  /** Made with the first command: what only commands need is loaded with them. */
  #programs: KnownPrograms | undefined;
  /** Runs since the last command was started. */
  #settling: NodeJS.Timeout | undefined;
  /** Commands of which something lives. */
  readonly #live = new Set<LiveCommand>();
  /** What the server itself got from its parent; looked up once. */
  #inherited: readonly number[] | undefined;
  readonly #terminals = new Set<number>();
  readonly #guard: CommandGuard;
  readonly #notes: LeftoverNotes;
  readonly #clearing: NodeJS.Timeout;
  /** Runs since the last command has ended. */
  #standIns: NodeJS.Timeout | undefined;
  #memory: MemoryAlarm | undefined;
  #isClosed = false;

  constructor({ codexHome, userHome, program = [], secretFiles, graceMs, holdMs, engine, sandbox, room }: CommandRunnerOptions) {
    this.#guard = new CommandGuard(room);
    this.#graceMs = graceMs ?? 2_000;
    this.#confined =
      sandbox ??
      createSandbox(process.platform, {
        ...{ codexHome, userHome: userHome ?? homedir(), program, engine },
        secretFiles: () => [...(secretFiles?.() ?? []), ...knownSecretFiles(codexHome)],
      });
    this.#pipes = new PipePool(path.join(codexHome, "parley", "run"));
    this.#spares = new SpareProcesses(this.#pipes, holdMs);
    this.#janitor = new Janitor(() => ({ ...this.#confined.leftovers, pipeFolder: this.#pipes.folder }));
    this.#notes = new LeftoverNotes(codexHome);
    this.#confined.onLeftovers = () => {
      this.#notes.note(this.#confined.leftovers.folders);
      this.#janitor.update();
    };
    this.#clearing = setTimeout(() => this.#notes.clearOthers(), clearAfterMs).unref();
  }

  async start(command: Command, confinement: Confinement, signal: AbortSignal): Promise<RunningCommand> {
    this.#programs ??= new KnownPrograms();
    requireSound(command, this.#programs);
    const { type } = confinement.policy;
    const sandbox = type === "dangerFullAccess" || type === "externalSandbox" ? this.#open : this.#confined;
    const [refusal] = await Promise.all([sandbox.prepare(confinement), this.#pipes.prepare()]);
    if (refusal !== undefined) throw new CommandRefused("noSandbox", refusal.refused);
    if (signal.aborted) throw new CommandRefused("other", "the command was interrupted before it was started");
    for (const finished of this.#live) finished.checkGone();
    const plan = planTerminal(command);
    try {
      return await this.#launch(plan, confinement, sandbox, signal);
    } finally {
      plan.terminal?.releaseSlave();
    }
  }

  async sandbox(): Promise<DescribedSandbox> {
    return describeSandbox(await this.#confined.state());
  }

  openNames(confinement: Confinement): Promise<string | undefined> {
    return this.#confined.openNames?.(confinement) ?? Promise.resolve(undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live].map((command) => command.kill()));
    for (const timer of [this.#settling, this.#clearing, this.#standIns]) clearTimeout(timer);
    this.#isClosed = true;
    this.#spares.drop();
    this.#confined.settle?.();
    this.#notes.close();
    this.#pipes.close();
    this.#janitor.close();
  }

  async #launch(plan: TerminalPlan, confinement: Confinement, sandbox: PlatformSandbox, signal: AbortSignal): Promise<RunningCommand> {
    const { command, terminal } = plan;
    const isConfined = sandbox === this.#confined;
    const { limits = {} } = confinement;
    const kept = kernelLimits(limits, sandbox.countsApart === true);
    const wrapped = sandbox.wrap(isConfined ? { ...command, argv: limitedArgv(command.argv, kept) } : command, confinement);
    if ("refused" in wrapped) throw new CommandRefused("noSandbox", wrapped.refused);
    const spare = this.#spares.take(command, wrapped);
    const id = spare?.id ?? (isConfined ? confinedCommandId() : randomBytes(16).toString("hex"));
    const ends = wrapped.life !== undefined ? "as marked" : wrapped.endsAsWhole === true ? "as both" : "as session";
    const watched: WatchedCommand = { id, pid: undefined, ends };
    const cleanUp = (): void => {
      wrapped.cleanup?.();
      this.#janitor.forget(watched);
      this.#clearStandInsSoon();
    };
    this.#janitor.watch(watched);
    const isOneOfMany = this.#settling !== undefined;
    this.#settleLater();
    try {
      const env = { ...wrapped.env, [markName]: id };
      const open = this.#openDescriptors(terminal);
      const { child, parts } = spare?.become(wrapped) ?? startWired({ command, wrapped, terminal, env, open }, this.#pipes);
      setImmediate(() => this.#isClosed || this.#spares.prepare(command, wrapped, { isLikely: isOneOfMany, open }));
      if (parts === undefined || child.pid === undefined) throw await refusalOf(child, command);
      watched.pid = child.pid;
      this.#janitor.update();
      const live = { ...parts, child, pid: child.pid, mark: `${markName}=${id}`, graceMs: this.#graceMs, timeoutMs: command.timeoutMs };
      if (!isConfined) return this.#follow({ ...live, note: plan.note, endsAsWhole: false }, signal, cleanUp);
      this.#memory ??= new MemoryAlarm();
      const lastWord = (exitCode: number): string | undefined =>
        exitCode === 137 && this.#memory?.rang() === true ? outOfMemory : undefined;
      const running = this.#follow({ ...live, note: plan.note, lastWord, endsAsWhole: wrapped.endsAsWhole === true }, signal, () => {
        this.#guard.forget(running);
        cleanUp();
      });
      this.#guard.watch(running, { processes: limits.processes, writable: wrapped.writable ?? [] });
      return running;
    } catch (error) {
      cleanUp();
      if (error instanceof CommandRefused) throw error;
      // Too long a command line, too many open files: said by the system as it refuses.
      throw new CommandRefused("other", `${command.argv[0]} could not be started: ${errorMessage(error)}`);
    }
  }

  /** A terminal is counted from its first moment to its end: its own command, too, gets only the other side. */
  #openDescriptors(terminal: Terminal | undefined): readonly number[] {
    this.#inherited ??= inheritableDescriptors();
    if (terminal !== undefined) {
      this.#terminals.add(terminal.masterDescriptor);
      terminal.master.once("close", () => this.#terminals.delete(terminal.masterDescriptor));
    }
    return [...this.#inherited, ...this.#terminals];
  }

  #settleLater(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      this.#spares.settle();
    }, settleAfterMs).unref();
  }

  /** Those of commands that still run stay until these end. */
  #clearStandInsSoon(): void {
    clearTimeout(this.#standIns);
    this.#standIns = setTimeout(() => {
      this.#confined.settle?.();
      this.#janitor.update();
    }, standInsMs).unref();
  }

  #follow(parts: Omit<LiveParts, "onGone">, signal: AbortSignal, cleanUp: () => void): LiveCommand {
    const abort = (): void => void live.kill();
    const onGone = (): void => {
      signal.removeEventListener("abort", abort);
      this.#live.delete(live);
      cleanUp();
    };
    const live = new LiveCommand({ ...parts, onGone });
    this.#live.add(live);
    signal.addEventListener("abort", abort);
    return live;
  }
}

/** What cannot be started is refused before anything is prepared. */
function requireSound(command: Command, programs: KnownPrograms): void {
  const [program] = command.argv;
  if (program === undefined || program === "") throw new CommandRefused("other", "the command is empty");
  if ([...command.argv, command.cwd, ...Object.keys(command.env), ...Object.values(command.env)].some((text) => text.includes("\0")))
    throw new CommandRefused("other", "the command holds a NUL character, which no program can be given");
  if (Object.keys(command.env).some((name) => name === "" || name.includes("=")))
    throw new CommandRefused("other", 'the name of an environment variable is empty or holds "="');
  const longest = [...command.argv, ...Object.entries(command.env).map(([name, value]) => `${name}=${value}`)].find(isTooLong);
  if (longest !== undefined)
    throw new CommandRefused(
      "other",
      `${longest.slice(0, 40)}…: a word of ${longest.length} characters is longer than any program can be given`,
    );
  if (!path.isAbsolute(command.cwd)) throw new CommandRefused("badCwd", `the working folder ${command.cwd} is not an absolute path`);
  if (!isFolder(command.cwd)) throw new CommandRefused("badCwd", `the working folder ${command.cwd} does not exist or is not a folder`);
  if (!programs.has(program, searchPathOf(command.env), command.cwd))
    throw new CommandRefused(
      "notFound",
      `${program}: no such program (not found${program.includes("/") ? "" : " on the PATH"}, or not executable)`,
    );
}

/** What Linux takes as one word, its end included. */
const maxWordBytes = 128 * 1024;
const isTooLong = (word: string): boolean =>
  process.platform === "linux" && word.length >= maxWordBytes / 4 && Buffer.byteLength(word) >= maxWordBytes;

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** Node tells by an event why a process could not be started. */
function refusalOf(child: ChildProcess, command: Command): Promise<CommandRefused> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(new CommandRefused("other", `${command.argv[0]} could not be started: ${error.message}`)));
  });
}
