/** Runs commands: confined as requested, each in its own session, leaving nothing behind. Made by runner.ts with the first command. */
import { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import {
  type Command,
  CommandRefused,
  type Confinement,
  type DescribedSandbox,
  type RunningCommand,
} from "../core/ports/command-runner.ts";
import { knownSecretFiles } from "../home/secret-files.ts";
import { errorMessage } from "../lib/error-text.ts";
import { KnownPrograms, searchPathOf } from "../lib/program.ts";
import { CommandGuard, kernelLimits, limitedArgv, MemoryAlarm } from "./command-limits.ts";
import { describeSandbox } from "./describe-sandbox.ts";
import { inheritableDescriptors } from "./descriptors.ts";
import { Janitor, type WatchedCommand } from "./janitor.ts";
import { confinedCommandId, type LeftoverNotes } from "./leftovers.ts";
import { type CommandProcess, LiveCommand, type LiveParts } from "./live-command.ts";
import { LoginShells, type RunOptions } from "./login/login-shells.ts";
import type { CommandProxy, ProxyRoom } from "./network/proxy.ts";
import { PipePool } from "./pipes.ts";
import { markName } from "./processes.ts";
import { planTerminal, type Terminal, type TerminalPlan } from "./pty.ts";
import type { ClosableRunner, CommandRunnerOptions } from "./runner.ts";
import { createSandbox } from "./sandbox/create-sandbox.ts";
import { OpenSandbox } from "./sandbox/none.ts";
import type { PlatformSandbox } from "./sandbox/platform-sandbox.ts";
import { openCommandId, SpareProcesses } from "./spare-process.ts";
import { startWired } from "./wiring.ts";

interface LaunchOptions {
  readonly sandbox: PlatformSandbox;
  readonly proxy: CommandProxy | undefined;
  readonly isAside: boolean;
}

const settleAfterMs = 2_000;
/** Consecutive commands share their placeholders in temporary folders; other programs must not see them for longer. */
const standInsMs = 60;
const outOfMemory = "\n[ended by the kernel: the machine, or the memory that this server may use, ran out of memory]\n";

export class Runner implements ClosableRunner {
  readonly #graceMs: number;
  readonly #mayStart: (() => boolean) | undefined;
  readonly #confined: PlatformSandbox;
  readonly #open = new OpenSandbox();
  readonly #pipes: PipePool;
  readonly #janitor: Janitor;
  readonly #spares: SpareProcesses;
  /** Created with the first command: what only commands need is loaded with them. */
  #programs: KnownPrograms | undefined;
  /** Runs from the start of the last command. */
  #settling: NodeJS.Timeout | undefined;
  /** Commands that still have processes. */
  readonly #live = new Set<LiveCommand>();
  /** File descriptors that the server inherited from its parent; looked up once. */
  #inherited: readonly number[] | undefined;
  readonly #terminals = new Set<number>();
  readonly #guard: CommandGuard;
  readonly #notes: LeftoverNotes;
  /** Runs from the end of the last command. */
  #standIns: NodeJS.Timeout | undefined;
  #memory: MemoryAlarm | undefined;
  /** Made with the first command that reaches only some hosts. */
  #proxies: ProxyRoom | undefined;
  readonly #logins: LoginShells;
  #isClosed = false;

  constructor(options: CommandRunnerOptions, notes: LeftoverNotes) {
    const { codexHome, userHome, program = [], secretFiles, graceMs, holdMs, engine, sandbox, room } = options;
    this.#mayStart = options.mayStart;
    this.#logins = new LoginShells((...args) => this.#run(...args), options.loginSnapshots ?? (() => true));
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
    this.#janitor = new Janitor(
      () => ({ ...this.#confined.leftovers, pipeFolder: this.#pipes.folder, waiting: this.#spares.confinedIds }),
      () => this.#openDescriptors(undefined),
    );
    this.#notes = notes;
    this.#confined.onLeftovers = () => {
      this.#notes.note(this.#confined.leftovers.folders);
      this.#janitor.update();
    };
  }

  start(command: Command, confinement: Confinement, signal: AbortSignal): Promise<RunningCommand> {
    return this.#logins.start(command, confinement, signal);
  }

  async #run(command: Command, confinement: Confinement, { signal, isAside }: RunOptions): Promise<RunningCommand> {
    this.#programs ??= new KnownPrograms();
    requireSound(command, this.#programs);
    const { policy, files } = confinement;
    const isOpen = policy.type === "dangerFullAccess" || policy.type === "externalSandbox";
    // Rules about files hold under every policy.
    const sandbox = isOpen && files === undefined ? this.#open : this.#confined;
    const prepared = Promise.all([sandbox.prepare(confinement), this.#pipes.prepare(), this.#spares.ready()]);
    // After what clients wait for: that the command was announced.
    setImmediate(() => this.#isClosed || this.#janitor.prepare());
    const [refusal] = await prepared;
    if (refusal !== undefined) throw new CommandRefused("noSandbox", refusal.refused);
    if (signal.aborted) throw new CommandRefused("other", "the command was interrupted before it was started");
    for (const finished of this.#live) finished.checkGone();
    const proxy = await this.#proxyFor(confinement);
    if (this.#mayStart?.() === false)
      throw new CommandRefused("other", "this worker no longer knows whether the thread is its own, so that nothing was started");
    const plan = planTerminal(command);
    try {
      return await this.#launch(plan, confinement, { sandbox, proxy, isAside }, signal);
    } finally {
      plan.terminal?.releaseSlave();
    }
  }

  hold(isHeld: boolean): void {
    for (const command of this.#live) command.hold(isHeld);
  }

  async sandbox(): Promise<DescribedSandbox> {
    return describeSandbox(await this.#confined.state());
  }

  openNames(confinement: Confinement): Promise<string | undefined> {
    return this.#confined.openNames?.(confinement) ?? Promise.resolve(undefined);
  }

  async close(): Promise<void> {
    this.#logins.close();
    await Promise.all([...this.#live].map((command) => command.kill()));
    for (const timer of [this.#settling, this.#standIns]) clearTimeout(timer);
    this.#isClosed = true;
    this.#spares.close();
    this.#confined.settle?.();
    this.#pipes.close();
    this.#janitor.close();
  }

  async #proxyFor({ network }: Confinement): Promise<CommandProxy | undefined> {
    if (network === undefined) return undefined;
    const { CommandProxy, ProxyRoom } = await import("./network/proxy.ts");
    this.#proxies ??= new ProxyRoom(process.env);
    return new CommandProxy(network, this.#proxies);
  }

  async #launch(
    plan: TerminalPlan,
    confinement: Confinement,
    { sandbox, proxy, isAside }: LaunchOptions,
    signal: AbortSignal,
  ): Promise<RunningCommand> {
    const { command, terminal } = plan;
    const isConfined = sandbox === this.#confined;
    const { limits = {} } = confinement;
    const kept = kernelLimits(limits, sandbox.countsApart === true);
    const wrapped = sandbox.wrap(isConfined ? { ...command, argv: limitedArgv(command.argv, kept) } : command, confinement);
    if ("refused" in wrapped) throw new CommandRefused("noSandbox", wrapped.refused);
    if (proxy !== undefined && wrapped.noNetwork !== undefined) confinement.network?.unavailable(wrapped.noNetwork);
    const spare = isAside ? undefined : this.#spares.take(command, wrapped);
    const id = spare?.id ?? (isConfined ? confinedCommandId() : openCommandId());
    const ends = wrapped.life !== undefined ? "as marked" : wrapped.endsAsWhole === true ? "as both" : "as session";
    const watched: WatchedCommand = { id, pid: undefined, ends };
    const cleanUp = (): void => {
      proxy?.close();
      wrapped.cleanup?.();
      this.#janitor.forget(watched);
      this.#clearStandInsSoon();
    };
    this.#janitor.watch(watched);
    const isOneOfMany = this.#settling !== undefined;
    if (!isAside) this.#settleLater();
    try {
      const env = { ...wrapped.env, [markName]: id };
      const open = this.#openDescriptors(terminal);
      const { child, parts } = spare?.become(wrapped) ?? startWired({ command, wrapped, terminal, env, open }, this.#pipes);
      setImmediate(() => isAside || this.#isClosed || this.#spares.prepare(command, wrapped, { isLikely: isOneOfMany, open }));
      if (parts === undefined || child.pid === undefined) throw await refusalOf(child, command);
      if (proxy !== undefined && child instanceof ChildProcess) takeListener(child, proxy);
      watched.pid = child.pid;
      this.#janitor.update();
      const live = { ...parts, child, pid: child.pid, mark: `${markName}=${id}`, graceMs: this.#graceMs, timeoutMs: command.timeoutMs };
      if (!isConfined) return this.#follow({ ...live, note: plan.note, endsAsWhole: false }, signal, cleanUp);
      this.#memory ??= new MemoryAlarm();
      const finalMessage = (exitCode: number): string | undefined =>
        exitCode === 137 && this.#memory?.hasNewKills() === true ? outOfMemory : proxy?.summary;
      const running = this.#follow({ ...live, note: plan.note, finalMessage, endsAsWhole: wrapped.endsAsWhole === true }, signal, () => {
        this.#guard.forget(running);
        cleanUp();
      });
      this.#guard.watch(running, { processes: limits.processes, writable: wrapped.writable ?? [] });
      return running;
    } catch (error) {
      cleanUp();
      if (error instanceof CommandRefused) throw error;
      // Command line too long, too many open files: the system's error message is passed on.
      throw new CommandRefused("other", `${command.argv[0]} could not be started: ${errorMessage(error)}`);
    }
  }

  /** A terminal counts from its creation to its end: its own command, too, gets only the other side. */
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

  /** Placeholders of running commands stay until those end. */
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

/** The sandbox's first program sends one socket; after that the channel is closed, whatever else may come. */
function takeListener(child: ChildProcess, proxy: CommandProxy): void {
  child.on("error", () => undefined); // The channel may break when the sandbox ends early.
  child.once("message", (_, listener: unknown) => {
    try {
      if (listener !== undefined) proxy.serve(listener);
      if (child.connected) child.disconnect();
    } catch {
      proxy.close(); // Whatever it was, it is no socket that listens.
    }
  });
  child.channel?.unref();
}

/** Commands that cannot be started are refused before anything is prepared. */
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

/** The size limit of one argument on Linux, including its terminating NUL. */
const maxArgumentBytes = 128 * 1024;
const isTooLong = (text: string): boolean =>
  process.platform === "linux" && text.length >= maxArgumentBytes / 4 && Buffer.byteLength(text) >= maxArgumentBytes;

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** Node emits an event with the reason if a process cannot be started. */
function refusalOf(child: CommandProcess, command: Command): Promise<CommandRefused> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(new CommandRefused("other", `${command.argv[0]} could not be started: ${error.message}`)));
  });
}
