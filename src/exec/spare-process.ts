/**
 * A process that is started ahead of a confined command and then becomes it: made while the command before it runs, so that the next one does
 * not wait until the server has forked. Which one depends on the engine. With bubblewrap it is most often a shell, which can become any
 * command and knows nothing of one before it is told; where the same command comes again and again it is the sandbox itself, which has read
 * its words and waits for its options. Our own engines need a Node, whose start costs more than all the rest: it waits for its orders and is
 * held for longer. None of them runs anything unless it is told to, and all end by themselves when the server does.
 */
import { closeSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command, WrappedCommand } from "../core/ports/command-runner.ts";
import { findSystemProgram } from "../lib/program.ts";
import { markName } from "./janitor.ts";
import { confinedCommandId } from "./leftovers.ts";
import { type PipePool, writeWhole } from "./pipes.ts";
import { isWritable, startWired, type Wired, type WiringInput } from "./wiring.ts";

/** One line is one command; a line without its end, as of a server that died while it wrote, runs nothing. `$n` is a line break. */
const script = `n='\n'\nIFS= read -r line && eval "exec $line"`;
/** The shell reads its line byte by byte. */
const longestLine = 4_000;
/** Shells differ in how they read other bytes. */
const isPlain = (word: string): boolean => /^[\t\n\x20-\x7e]*$/.test(word);
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`).replaceAll("\n", `'"$n"'`)}'`;
/** How often in a row a command must have come before the next one is expected to be the same. */
const enoughRepeats = 3;

/** A Node takes longer to start than most commands take: while they follow one another, two are on their way at once. */
const mostReady = 2;

/** How long a Node that waits is worth its memory after the last command. */
const usualHoldMs = 60_000;

/** What a process is made for: its descriptors cannot be changed later. */
interface Shape {
  readonly stdin: Command["stdin"];
  readonly merged: boolean;
  readonly life: number | undefined;
  /** Bytes that are the same for every command. Those that follow are a command's own. */
  readonly constant: Uint8Array;
}

/** Undefined for a command that no waiting process could become. */
function shapeOf({ stdin, merged = false, tty }: Command, { extra, env, cwd, life, ahead }: WrappedCommand): Shape | undefined {
  const [constant, own, ...more] = extra;
  const isReady = ahead?.kind === "any command" || (stdin === "closed" && life !== undefined);
  if (!isReady || tty !== undefined || constant === undefined || own === undefined || more.length > 0) return undefined;
  return cwd === "/" && Object.keys(env).length === 0 ? { stdin, merged, life, constant } : undefined;
}

function lineOf({ argv }: WrappedCommand): string | undefined {
  if (!argv.every(isPlain)) return undefined;
  const line = `${argv.map(quoted).join(" ")} </dev/null\n`;
  return line.length > longestLine ? undefined : line;
}

const areSame = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((word, i) => word === b[i]);

/** What makes a waiting process the command: bytes that it finds, and a word for which it waits. */
interface Orders {
  readonly bytes: Uint8Array;
  readonly word: Uint8Array | string;
}

/** One way of waiting. */
interface Way {
  readonly argv: readonly string[];
  readonly stdin: Command["stdin"];
  readonly extra: WiringInput["wrapped"]["extra"];
  readonly waitsAt: number;
  /** Holds the command's own bytes, where they do not come with the word. */
  readonly own: number | undefined;
  /** Whether it costs so much that it is held for longer. */
  readonly isDear: boolean;
  /** Undefined for a command that it cannot become; it goes on waiting for another one. */
  ordersFor(wrapped: WrappedCommand): Orders | undefined;
  /** Whether to wait on makes sense now that this command has come. */
  expects(wrapped: WrappedCommand): boolean;
}

function asShell({ constant }: Shape, own: number): Way | undefined {
  const shell = findSystemProgram("sh");
  if (shell === undefined) return undefined;
  const ordersFor: Way["ordersFor"] = (wrapped) => {
    const [word, bytes] = [lineOf(wrapped), wrapped.extra[1]];
    return word === undefined || bytes === undefined ? undefined : { bytes, word };
  };
  const argv = [shell, "-c", script, "parley-spare"];
  return { argv, stdin: "open", extra: [constant, own], waitsAt: 0, own, isDear: false, ordersFor, expects: () => true };
}

function asItself({ ahead }: WrappedCommand, { constant }: Shape, own: number): Way | undefined {
  if (ahead?.kind !== "same command") return undefined;
  const { argv, waitsAt, readsAt, wordLength } = ahead;
  const extra: Way["extra"][number][] = [constant];
  extra[waitsAt - 3] = "pipe";
  extra[readsAt - 3] = own;
  const expects: Way["expects"] = (wrapped) => wrapped.ahead !== undefined && areSame(wrapped.ahead.argv, argv);
  const ordersFor: Way["ordersFor"] = ({ ahead: next, extra: [, bytes = new Uint8Array()] }) => {
    const length = next?.kind === "same command" ? next.wordLength : wordLength;
    return { word: bytes.subarray(0, length), bytes: bytes.subarray(length) };
  };
  return { argv, stdin: "closed", extra, waitsAt, own, isDear: false, ordersFor, expects };
}

function asHelper({ ahead }: WrappedCommand, { constant, stdin }: Shape): Way | undefined {
  if (ahead?.kind !== "any command") return undefined;
  const { argv, waitsAt } = ahead;
  const extra: Way["extra"][number][] = [constant];
  extra[waitsAt - 3] = "pipe";
  const expects: Way["expects"] = (wrapped) => wrapped.ahead !== undefined && areSame(wrapped.ahead.argv, argv);
  const ordersFor: Way["ordersFor"] = ({ extra: [, word = new Uint8Array()] }) => ({ word, bytes: new Uint8Array() });
  return { argv, stdin, extra, waitsAt, own: undefined, isDear: true, ordersFor, expects };
}

export class SpareProcesses {
  readonly #pipes: PipePool;
  readonly #holdMs: number;
  /** All of one kind. */
  #waiting: SpareProcess[] = [];
  /** Whether the last command found one that fitted. */
  #hasFitted = false;
  #dropping: NodeJS.Timeout | undefined;
  #last: readonly string[] = [];
  #repeats = 0;

  constructor(pipes: PipePool, holdMs = usualHoldMs) {
    this.#pipes = pipes;
    this.#holdMs = holdMs;
  }

  /** A process that the caller makes the command of; undefined when none waits that could become it. */
  take(command: Command, wrapped: WrappedCommand): SpareProcess | undefined {
    this.#repeats = areSame(wrapped.argv, this.#last) ? this.#repeats + 1 : 0;
    this.#last = wrapped.argv;
    const [next] = this.#waiting;
    const shape = next === undefined ? undefined : shapeOf(command, wrapped);
    this.#hasFitted = false;
    if (shape === undefined || next?.canBecome(wrapped) !== true) return undefined;
    for (let spare = this.#waiting.shift(); spare !== undefined; spare = this.#waiting.shift()) {
      this.#hasFitted = spare.fits(shape, wrapped);
      if (this.#hasFitted) return spare;
      spare.end();
    }
    return undefined;
  }

  /**
   * Starts a process for the next command of the kind, unless one waits. With `isLikely` that command is expected soon; without it only what
   * is dear to start is, and with it a second one of those. `open` are descriptors of the server that it must not inherit.
   */
  prepare(command: Command, wrapped: WrappedCommand, { isLikely, open }: { isLikely: boolean; open: readonly number[] }): void {
    if (this.#waiting.some(({ isAlive }) => !isAlive)) this.drop();
    const isDear = wrapped.ahead?.kind === "any command";
    const wanted = isDear && isLikely && this.#hasFitted ? mostReady : 1;
    while (this.#waiting.length < wanted) {
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

  /** A while after the last command: one that is dear waits on, the rest goes. */
  settle(): void {
    if (this.#waiting[0]?.isDear !== true) return this.drop();
    for (const spare of this.#waiting.splice(1)) spare.end();
    clearTimeout(this.#dropping);
    this.#dropping = setTimeout(() => this.drop(), this.#holdMs).unref();
  }

  /** Undefined where no process is to be had now: the next command says so itself. */
  #tryStart(way: Way, shape: Shape, open: readonly number[]): SpareProcess | undefined {
    let started: SpareProcess | undefined;
    try {
      started = this.#start(way, shape, open);
    } catch {
      // Said by the next command.
    }
    if (started === undefined && way.own !== undefined) closeSync(way.own);
    return started;
  }

  #lentWay(wrapped: WrappedCommand, shape: Shape): Way | undefined {
    const own = this.#pipes.lend(new Uint8Array());
    if (own === undefined) return undefined;
    const way = (this.#repeats >= enoughRepeats ? asItself(wrapped, shape, own) : undefined) ?? asShell(shape, own);
    if (way === undefined) closeSync(own);
    return way;
  }

  #start(way: Way, shape: Shape, open: readonly number[]): SpareProcess | undefined {
    const id = confinedCommandId();
    const wrapped = { argv: way.argv, cwd: "/", extra: way.extra, ...(shape.life === undefined ? {} : { life: shape.life }) };
    const input = { command: { stdin: way.stdin, merged: shape.merged }, wrapped, terminal: undefined } as const;
    const wired = startWired({ ...input, env: { [markName]: id }, open }, this.#pipes);
    const ear = wired.child.stdio[way.waitsAt];
    if (wired.parts !== undefined && isWritable(ear)) return new SpareProcess({ id, way, shape, wired, ear });
    wired.child.once("error", () => undefined);
    return undefined;
  }
}

interface SpareParts {
  readonly id: string;
  readonly way: Way;
  readonly shape: Shape;
  readonly wired: Wired;
  readonly ear: Writable;
}

export class SpareProcess {
  readonly #parts: SpareParts;

  constructor(parts: SpareParts) {
    this.#parts = parts;
    parts.ear.on("error", () => undefined); // Somebody ended it; its exit tells.
    this.#keepServer(false);
  }

  /** The mark in its environment, and so in that of the command. */
  get id(): string {
    return this.#parts.id;
  }

  get isDear(): boolean {
    return this.#parts.way.isDear;
  }

  get isAlive(): boolean {
    const { child } = this.#parts.wired;
    return child.exitCode === null && child.signalCode === null;
  }

  canBecome(wrapped: WrappedCommand): boolean {
    return this.#parts.way.ordersFor(wrapped) !== undefined;
  }

  fits({ stdin, merged, life, constant }: Shape, wrapped: WrappedCommand): boolean {
    const { shape, way } = this.#parts;
    const isSame = shape.stdin === stdin && shape.merged === merged && shape.life === life && shape.constant === constant;
    return this.isAlive && isSame && way.expects(wrapped);
  }

  become(wrapped: WrappedCommand): Wired {
    const { wired, ear, way } = this.#parts;
    try {
      const orders = way.ordersFor(wrapped) ?? { bytes: new Uint8Array(), word: "" };
      if (way.own !== undefined) writeWhole(way.own, orders.bytes);
      this.#keepServer(true);
      ear.end(orders.word);
    } catch (error) {
      this.#abandon();
      throw error;
    } finally {
      if (way.own !== undefined) closeSync(way.own);
    }
    // Where it waited at its input, the command has none.
    if (way.waitsAt !== 0) return wired;
    return { child: wired.child, parts: wired.parts && { ...wired.parts, input: undefined, closeInput: () => undefined } };
  }

  end(): void {
    if (this.#parts.way.own !== undefined) closeSync(this.#parts.way.own);
    this.#abandon();
  }

  /** Without a word it runs nothing. */
  #abandon(): void {
    const { wired, ear } = this.#parts;
    ear.end();
    for (const { stream } of wired.parts?.outputs ?? []) stream.destroy();
    wired.parts?.input?.destroy();
    wired.parts?.life?.destroy();
  }

  /** A process that waits must not keep the server from ending. */
  #keepServer(isNeeded: boolean): void {
    const { wired, ear } = this.#parts;
    for (const handle of [wired.child, ear, wired.parts?.input, wired.parts?.life]) {
      if (isNeeded && handle !== undefined && "ref" in handle && typeof handle.ref === "function") handle.ref();
      if (!isNeeded && handle !== undefined && "unref" in handle && typeof handle.unref === "function") handle.unref();
    }
  }
}
