/**
 * Processes that are started before a command and then become it: started while the previous command runs, so that the next one does not
 * wait for the server to fork. The kind depends on the engine. With our own engines it is the program that builds the sandbox: its
 * namespaces are made, it waits for its list of calls, and takes so little memory that one is kept for longer. With bubblewrap, and for a
 * shell's script without a sandbox, it is usually a shell, which can become any command and knows nothing about it in advance; if the same
 * command keeps coming it is the sandbox itself, which has read its arguments and waits for its options. None of them runs anything without orders, and all exit by themselves when the server does.
 */
import { closeSync } from "node:fs";
import path from "node:path";
import type { Writable } from "node:stream";
import type { Command, WrappedCommand } from "../core/ports/command-runner.ts";
import { findRealPath } from "../lib/file-status.ts";
import { findSystemProgram } from "../lib/program.ts";
import { randomBytes } from "../lib/random.ts";
import { confinedCommandId } from "./leftovers.ts";
import { type PipePool, writeWhole } from "./pipes.ts";
import { markName } from "./processes.ts";
import { SandboxStarter, type StartInput } from "./sandbox-starter.ts";
import { type Forked, isWritable, startWired, type Wired, type WiringInput } from "./wiring.ts";

/** One line is one command; an incomplete line, as from a server that died while writing it, runs nothing. `$n` is a newline. */
const script = (fd: number): string => `n='\n'\nIFS= read -r line <&${fd} && eval "$line"`;
/** The shell reads its line byte by byte. */
const longestLine = 4_000;
/** Shells differ in how they read other bytes. */
const isPlain = (arg: string): boolean => /^[\t\n\x20-\x7e]*$/.test(arg);
const quoted = (arg: string): string => `'${arg.replaceAll("'", `'\\''`).replaceAll("\n", `'"$n"'`)}'`;
/** How many times in a row a command must have come before the same one is expected next. */
const enoughRepeats = 3;

/** A short command ends before the next sandbox has its namespaces: while commands follow one another, two are started at once. */
const mostReady = 2;

/** How long a waiting sandbox is kept after the last command. */
const usualHoldMs = 60_000;
/** How long a command waits for a sandbox that is being started. */
const readyMs = 2_000;

/** What a process was prepared for: its file descriptors and its environment cannot be changed later. */
interface Shape {
  readonly stdin: Command["stdin"];
  readonly merged: boolean;
  readonly life: number | undefined;
  /** Bytes that are the same for every command. Those that follow are specific to a command. Undefined without a sandbox. */
  readonly constant: Uint8Array | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined for a command that no waiting process could become. */
function shapeOf(command: Command, { extra, env, cwd, life, ahead, channel, endsAsWhole }: WrappedCommand): Shape | undefined {
  const { stdin, merged = false, tty } = command;
  if (channel !== undefined || tty !== undefined) return undefined; // No process that waits has one.
  const [constant, own, ...more] = extra;
  if (constant === undefined) {
    const isOpen = life === undefined && endsAsWhole !== true && isShell(command) && survivesShell(env);
    return isOpen ? { stdin, merged, life, constant, env } : undefined;
  }
  const isReady = ahead?.kind === "any command" || life !== undefined;
  if (!isReady || own === undefined || more.length > 0) return undefined;
  return cwd === "/" && Object.keys(env).length === 0 ? { stdin, merged, life, constant, env } : undefined;
}

/** A shell sets the variables that a shell before it could have touched once more. */
const isShell = ({ argv: [program = ""] }: Command): boolean => /^(?:ba|z|da|k)?sh$/.test(path.basename(program));
/** A waiting shell passes on only names that it could use itself, and sets some of its own. */
const survivesShell = (env: Shape["env"]): boolean => Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name) && !shellsOwn.has(name));
const shellsOwn: ReadonlySet<string> = new Set(["IFS", "OPTIND", "PPID", "LINENO"]);

/** The line for a waiting shell: it closes what it waited at, and the command gets the variables as they were given. */
function lineOf({ argv, cwd, env, extra }: WrappedCommand, waitsAt: number): string | undefined {
  if (![...argv, cwd, env["PWD"] ?? "", env["OLDPWD"] ?? ""].every(isPlain)) return undefined;
  const kept = (name: string): string => (env[name] === undefined ? `unset ${name}` : `${name}=${quoted(env[name])}`);
  const move = extra.length > 0 ? "" : `cd ${quoted(cwd)} && ${kept("PWD")} && ${kept("OLDPWD")} && `;
  const line = `${move}exec ${argv.map(quoted).join(" ")} ${waitsAt}<&-\n`;
  return line.length > longestLine ? undefined : line;
}

const areSame = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((arg, i) => arg === b[i]);
function areSameVariables(a: Shape["env"], b: Shape["env"]): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** What turns a waiting process into the command: bytes that it finds, and a trigger that it waits for. */
interface Orders {
  readonly bytes: Uint8Array;
  readonly trigger: Uint8Array | string;
}

/** One way of waiting. */
interface Way {
  readonly argv: readonly string[];
  readonly stdin: Command["stdin"];
  readonly extra: WiringInput["wrapped"]["extra"];
  readonly waitsAt: number;
  /** The file descriptor of the command's own bytes, if they are not part of the trigger. */
  readonly own: number | undefined;
  /** Whether it is kept for longer after the last command. */
  readonly isKept: boolean;
  /** What can start it for the server. */
  readonly starter?: StartInput["starter"] | undefined;
  /** Undefined for a command that it cannot become; it then keeps waiting for another one. */
  ordersFor(wrapped: WrappedCommand): Orders | undefined;
  /** Whether it still makes sense to wait, given this command. */
  expects(wrapped: WrappedCommand): boolean;
}

/** Only a shell that adds nothing to its environment may wait for a command without a sandbox. */
const findPlainShell = (): string | undefined => {
  const shell = findSystemProgram("sh");
  return shell !== undefined && path.basename(findRealPath(shell) ?? "") === "dash" ? shell : undefined;
};

function asShell({ constant, stdin, life }: Shape, own: number | undefined): Way | undefined {
  const shell = constant === undefined ? findPlainShell() : findSystemProgram("sh");
  if (shell === undefined) return undefined;
  const waitsAt = (life ?? 2) + 1;
  const ordersFor: Way["ordersFor"] = (wrapped) => {
    const [trigger, bytes = new Uint8Array()] = [lineOf(wrapped, waitsAt), wrapped.extra[1]];
    return trigger === undefined ? undefined : { bytes, trigger };
  };
  const extra: Way["extra"][number][] = constant === undefined ? [] : [constant, own];
  extra[waitsAt - 3] = "pipe";
  const argv = [shell, "-c", script(waitsAt), "parley-spare"];
  return { argv, stdin, extra, waitsAt, own, isKept: false, ordersFor, expects: () => true };
}

function asItself({ ahead }: WrappedCommand, { constant, stdin }: Shape, own: number): Way | undefined {
  if (ahead?.kind !== "same command") return undefined;
  const { argv, waitsAt, readsAt, wordLength } = ahead;
  const extra: Way["extra"][number][] = [constant];
  extra[waitsAt - 3] = "pipe";
  extra[readsAt - 3] = own;
  const expects: Way["expects"] = (wrapped) => wrapped.ahead !== undefined && areSame(wrapped.ahead.argv, argv);
  const ordersFor: Way["ordersFor"] = ({ ahead: next, extra: [, bytes = new Uint8Array()] }) => {
    const length = next?.kind === "same command" ? next.wordLength : wordLength;
    return { trigger: bytes.subarray(0, length), bytes: bytes.subarray(length) };
  };
  return { argv, stdin, extra, waitsAt, own, isKept: false, ordersFor, expects };
}

function asHelper({ ahead }: WrappedCommand, { constant, stdin }: Shape): Way | undefined {
  if (ahead?.kind !== "any command") return undefined;
  const { argv, waitsAt, starter } = ahead;
  const extra: Way["extra"][number][] = [constant];
  extra[waitsAt - 3] = "pipe";
  const expects: Way["expects"] = (wrapped) => wrapped.ahead !== undefined && areSame(wrapped.ahead.argv, argv);
  const ordersFor: Way["ordersFor"] = ({ extra: [, trigger = new Uint8Array()] }) => ({ trigger, bytes: new Uint8Array() });
  return { argv, stdin, extra, waitsAt, own: undefined, isKept: true, starter, ordersFor, expects };
}

/** Says nothing about the server: a command without a sandbox may outlive it. */
export const openCommandId = (): string => randomBytes(16).toString("hex");

export class SpareProcesses {
  readonly #pipes: PipePool;
  readonly #holdMs: number;
  /** Created with the first sandbox that waits: what only commands need is loaded with them. */
  #starter: SandboxStarter | undefined;
  /** All of one kind. */
  #waiting: SpareProcess[] = [];
  /** Whether the last command found a matching process. */
  #hasFitted = false;
  #dropping: NodeJS.Timeout | undefined;
  #last: readonly string[] = [];
  #repeats = 0;

  constructor(pipes: PipePool, holdMs = usualHoldMs) {
    this.#pipes = pipes;
    this.#holdMs = holdMs;
  }

  /** Of those that become confined commands. */
  get confinedIds(): readonly string[] {
    return this.#waiting.filter(({ isConfined }) => isConfined).map(({ id }) => id);
  }

  /** Resolves when the next one waits, or is not expected to soon. */
  async ready(): Promise<void> {
    const [next] = this.#waiting;
    if (next !== undefined && !next.isReady) await next.untilReady(readyMs);
  }

  /** A process that the caller turns into the command; undefined if none is waiting that could become it. */
  take(command: Command, wrapped: WrappedCommand): SpareProcess | undefined {
    this.#repeats = areSame(wrapped.argv, this.#last) ? this.#repeats + 1 : 0;
    this.#last = wrapped.argv;
    const [next] = this.#waiting;
    const shape = next === undefined ? undefined : shapeOf(command, wrapped);
    this.#hasFitted = false;
    if (shape === undefined || next?.canBecome(wrapped) !== true || (next.isAlive && !next.isReady)) return undefined;
    for (let spare = this.#waiting.shift(); spare !== undefined; spare = this.#waiting.shift()) {
      this.#hasFitted = spare.fits(shape, wrapped);
      if (this.#hasFitted) return spare;
      spare.end();
    }
    return undefined;
  }

  /**
   * Starts a process for the next command of this kind, unless one is waiting. With `isLikely`, that command is expected soon; without it,
   * only one that is kept for longer is started, and with it a second one of those. `open` are file descriptors of the server that it must not
   * inherit.
   */
  prepare(command: Command, wrapped: WrappedCommand, { isLikely, open }: { isLikely: boolean; open: readonly number[] }): void {
    if (this.#waiting.some(({ isAlive }) => !isAlive)) this.drop();
    const isKept = wrapped.ahead?.kind === "any command";
    const count = isKept && isLikely && this.#hasFitted ? mostReady : 1;
    while (this.#waiting.length < count) {
      const shape = shapeOf(command, wrapped);
      const way = shape && (asHelper(wrapped, shape) ?? (isLikely ? this.#lentWay(wrapped, shape) : undefined));
      const started = shape && way && this.#tryStart(way, shape, open);
      if (started === undefined) return;
      this.#waiting.push(started);
    }
  }

  drop(): void {
    clearTimeout(this.#dropping);
    for (const spare of this.#waiting.splice(0)) spare.end();
  }

  close(): void {
    this.drop();
    this.#starter?.close();
  }

  /** Some time after the last command: one that is kept for longer keeps waiting, the others are ended. */
  settle(): void {
    if (this.#waiting[0]?.isKept !== true) return this.drop();
    for (const spare of this.#waiting.splice(1)) spare.end();
    clearTimeout(this.#dropping);
    this.#dropping = setTimeout(() => this.close(), this.#holdMs).unref();
  }

  /** Undefined if no process can be started now: the next command reports the error. */
  #tryStart(way: Way, shape: Shape, open: readonly number[]): SpareProcess | undefined {
    let started: SpareProcess | undefined;
    try {
      started = this.#start(way, shape, open);
    } catch {
      // The next command reports it.
    }
    if (started === undefined && way.own !== undefined) closeSync(way.own);
    return started;
  }

  #lentWay(wrapped: WrappedCommand, shape: Shape): Way | undefined {
    if (shape.constant === undefined) return asShell(shape, undefined);
    const own = this.#pipes.lend(new Uint8Array());
    if (own === undefined) return undefined;
    const way = (this.#repeats >= enoughRepeats ? asItself(wrapped, shape, own) : undefined) ?? asShell(shape, own);
    if (way === undefined) closeSync(own);
    return way;
  }

  #start(way: Way, shape: Shape, open: readonly number[]): SpareProcess | undefined {
    const id = shape.constant === undefined ? openCommandId() : confinedCommandId();
    const { starter } = way;
    const { constant: first, stdin, merged } = shape;
    const mark = `${markName}=${id}`;
    if (starter !== undefined && first !== undefined && !merged) {
      this.#starter ??= new SandboxStarter(this.#pipes);
      const started = this.#starter.start({ starter, stdin, first, mark, open });
      if (started !== undefined) return new SpareProcess({ id, way, shape, host: started });
    }
    const wrapped = { argv: way.argv, cwd: "/", extra: way.extra, ...(shape.life === undefined ? {} : { life: shape.life }) };
    const input = { command: { stdin: way.stdin, merged: shape.merged }, wrapped, terminal: undefined } as const;
    const wired = startWired({ ...input, env: { ...shape.env, [markName]: id }, open }, this.#pipes);
    const triggerStream = wired.child.stdio[way.waitsAt];
    if (wired.parts !== undefined && isWritable(triggerStream))
      return new SpareProcess({ id, way, shape, host: new ForkedHost(wired, triggerStream) });
    wired.child.once("error", () => undefined);
    return undefined;
  }
}

/** The process itself, and how the server reaches it. */
interface Host {
  readonly isAlive: boolean;
  /** Whether it can become a command now. */
  readonly isReady: boolean;
  readonly whenReady: Promise<void>;
  give(trigger: Uint8Array | string): Wired;
  /** If it is not ready by now. */
  giveUp(): void;
  /** Without a trigger it runs nothing. */
  abandon(): void;
}

class ForkedHost implements Host {
  readonly isReady = true;
  readonly whenReady = Promise.resolve();
  readonly #wired: Forked;
  readonly #trigger: Writable;

  constructor(wired: Forked, trigger: Writable) {
    this.#wired = wired;
    this.#trigger = trigger;
    trigger.on("error", () => undefined); // It was killed; its exit shows that.
    this.#keepServer(false);
  }

  get isAlive(): boolean {
    const { child } = this.#wired;
    return child.exitCode === null && child.signalCode === null;
  }

  give(trigger: Uint8Array | string): Wired {
    this.#keepServer(true);
    this.#trigger.end(trigger);
    return this.#wired;
  }

  giveUp(): void {}

  abandon(): void {
    const { parts } = this.#wired;
    this.#trigger.end();
    for (const { stream } of parts?.outputs ?? []) stream.destroy();
    parts?.input?.destroy();
    parts?.life?.destroy();
  }

  /** A waiting process must not keep the server alive. */
  #keepServer(isNeeded: boolean): void {
    const { child, parts } = this.#wired;
    for (const handle of [child, this.#trigger, parts?.input, parts?.life]) {
      if (isNeeded && handle !== undefined && "ref" in handle && typeof handle.ref === "function") handle.ref();
      if (!isNeeded && handle !== undefined && "unref" in handle && typeof handle.unref === "function") handle.unref();
    }
  }
}

interface SpareParts {
  readonly id: string;
  readonly way: Way;
  readonly shape: Shape;
  readonly host: Host;
}

export class SpareProcess {
  readonly #parts: SpareParts;

  constructor(parts: SpareParts) {
    this.#parts = parts;
  }

  /** The mark in its environment, and therefore in the command's. */
  get id(): string {
    return this.#parts.id;
  }

  get isConfined(): boolean {
    return this.#parts.shape.constant !== undefined;
  }

  get isKept(): boolean {
    return this.#parts.way.isKept;
  }

  get isAlive(): boolean {
    return this.#parts.host.isAlive;
  }

  get isReady(): boolean {
    return this.#parts.host.isReady;
  }

  async untilReady(ms: number): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      late = setTimeout(resolve, ms);
    });
    await Promise.race([this.#parts.host.whenReady, waited]);
    clearTimeout(late);
    this.#parts.host.giveUp();
  }

  canBecome(wrapped: WrappedCommand): boolean {
    return this.#parts.way.ordersFor(wrapped) !== undefined;
  }

  fits({ stdin, merged, life, constant, env }: Shape, wrapped: WrappedCommand): boolean {
    const { shape, way } = this.#parts;
    const isSame = shape.stdin === stdin && shape.merged === merged && shape.life === life && shape.constant === constant;
    return this.isAlive && this.isReady && isSame && areSameVariables(shape.env, env) && way.expects(wrapped);
  }

  become(wrapped: WrappedCommand): Wired {
    const { host, way } = this.#parts;
    try {
      const orders = way.ordersFor(wrapped) ?? { bytes: new Uint8Array(), trigger: "" };
      if (way.own !== undefined) writeWhole(way.own, orders.bytes);
      return host.give(orders.trigger);
    } catch (error) {
      host.abandon();
      throw error;
    } finally {
      if (way.own !== undefined) closeSync(way.own);
    }
  }

  end(): void {
    if (this.#parts.way.own !== undefined) closeSync(this.#parts.way.own);
    this.#parts.host.abandon();
  }
}
