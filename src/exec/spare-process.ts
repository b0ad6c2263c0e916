/**
 * A process that is started ahead of a confined command and then becomes it: made while the command before it runs, so that the next one does
 * not wait until the server has forked. Most often a shell, which can become any command and knows nothing of one before it is told. Where
 * the same command comes again and again it is the sandbox itself, which has read its words and waits for its options. It runs nothing
 * unless it is told to, and ends by itself when the server does.
 */
import { closeSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command, WrappedCommand } from "../core/ports/command-runner.ts";
import { markName } from "./janitor.ts";
import { confinedCommandId } from "./leftovers.ts";
import { type PipePool, writeWhole } from "./pipes.ts";
import { findSystemProgram } from "./program.ts";
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

/** What a process is made for: its descriptors cannot be changed later. */
interface Shape {
  readonly merged: boolean;
  readonly life: number;
  /** Bytes that are the same for every command. Those that follow are a command's own. */
  readonly filter: Uint8Array;
}

/** Undefined for a command that no waiting process could become. */
function shapeOf({ stdin, merged = false, tty }: Command, { extra, env, cwd, life }: WrappedCommand): Shape | undefined {
  const [filter, own, ...more] = extra;
  if (stdin !== "closed" || tty !== undefined || life === undefined) return undefined;
  if (filter === undefined || own === undefined || more.length > 0) return undefined;
  return cwd === "/" && Object.keys(env).length === 0 ? { merged, life, filter } : undefined;
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
  /** Undefined for a command that it cannot become; it goes on waiting for another one. */
  ordersFor(wrapped: WrappedCommand): Orders | undefined;
  /** Whether to wait on makes sense now that this command has come. */
  expects(wrapped: WrappedCommand): boolean;
}

function asShell({ filter }: Shape, own: number): Way | undefined {
  const shell = findSystemProgram("sh");
  if (shell === undefined) return undefined;
  const ordersFor: Way["ordersFor"] = (wrapped) => {
    const [word, bytes] = [lineOf(wrapped), wrapped.extra[1]];
    return word === undefined || bytes === undefined ? undefined : { bytes, word };
  };
  const argv = [shell, "-c", script, "parley-spare"];
  return { argv, stdin: "open", extra: [filter, own], waitsAt: 0, ordersFor, expects: () => true };
}

function asItself({ ahead }: WrappedCommand, { filter }: Shape, own: number): Way | undefined {
  if (ahead === undefined) return undefined;
  const { argv, waitsAt, readsAt } = ahead;
  const extra: Way["extra"][number][] = [filter];
  extra[waitsAt - 3] = "pipe";
  extra[readsAt - 3] = own;
  const expects: Way["expects"] = (wrapped) => wrapped.ahead !== undefined && areSame(wrapped.ahead.argv, argv);
  const ordersFor: Way["ordersFor"] = ({ ahead: { wordLength } = ahead, extra: [, bytes = new Uint8Array()] }) => ({
    word: bytes.subarray(0, wordLength),
    bytes: bytes.subarray(wordLength),
  });
  return { argv, stdin: "closed", extra, waitsAt, ordersFor, expects };
}

export class SpareProcesses {
  readonly #pipes: PipePool;
  #waiting: SpareProcess | undefined;
  #last: readonly string[] = [];
  #repeats = 0;

  constructor(pipes: PipePool) {
    this.#pipes = pipes;
  }

  /** A process that the caller makes the command of; undefined when none waits that could become it. */
  take(command: Command, wrapped: WrappedCommand): SpareProcess | undefined {
    this.#repeats = areSame(wrapped.argv, this.#last) ? this.#repeats + 1 : 0;
    this.#last = wrapped.argv;
    const spare = this.#waiting;
    const shape = spare === undefined ? undefined : shapeOf(command, wrapped);
    if (spare === undefined || shape === undefined || !spare.canBecome(wrapped)) return undefined;
    this.#waiting = undefined;
    if (spare.fits(shape, wrapped)) return spare;
    spare.end();
    return undefined;
  }

  /** Starts a process for the next command of the kind, unless one waits. `open` are descriptors of the server that it must not inherit. */
  prepare(command: Command, wrapped: WrappedCommand, open: readonly number[]): void {
    const shape = this.#waiting === undefined ? shapeOf(command, wrapped) : undefined;
    const own = shape === undefined ? undefined : this.#pipes.lend(new Uint8Array());
    if (shape === undefined || own === undefined) return;
    const way = (this.#repeats >= enoughRepeats ? asItself(wrapped, shape, own) : undefined) ?? asShell(shape, own);
    try {
      if (way !== undefined) this.#waiting = this.#start(way, shape, own, open);
    } catch {
      // No process to be had now: the next command says so itself.
    }
    if (this.#waiting === undefined) closeSync(own);
  }

  drop(): void {
    this.#waiting?.end();
    this.#waiting = undefined;
  }

  #start(way: Way, shape: Shape, own: number, open: readonly number[]): SpareProcess | undefined {
    const id = confinedCommandId();
    const wrapped = { argv: way.argv, cwd: "/", extra: way.extra, life: shape.life };
    const input = { command: { stdin: way.stdin, merged: shape.merged }, wrapped, terminal: undefined } as const;
    const wired = startWired({ ...input, env: { [markName]: id }, open }, this.#pipes);
    const ear = wired.child.stdio[way.waitsAt];
    if (wired.parts !== undefined && isWritable(ear)) return new SpareProcess({ id, way, shape, wired, own, ear });
    wired.child.once("error", () => undefined);
    return undefined;
  }
}

interface SpareParts {
  readonly id: string;
  readonly way: Way;
  readonly shape: Shape;
  readonly wired: Wired;
  /** Holds the command's own bytes. */
  readonly own: number;
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

  canBecome(wrapped: WrappedCommand): boolean {
    return this.#parts.way.ordersFor(wrapped) !== undefined;
  }

  fits({ merged, life, filter }: Shape, wrapped: WrappedCommand): boolean {
    const { wired, shape, way } = this.#parts;
    const isAlive = wired.child.exitCode === null && wired.child.signalCode === null;
    return isAlive && shape.merged === merged && shape.life === life && shape.filter === filter && way.expects(wrapped);
  }

  become(wrapped: WrappedCommand): Wired {
    const { wired, own, ear, way } = this.#parts;
    try {
      const orders = way.ordersFor(wrapped) ?? { bytes: new Uint8Array(), word: "" };
      writeWhole(own, orders.bytes);
      this.#keepServer(true);
      ear.end(orders.word);
    } catch (error) {
      this.#abandon();
      throw error;
    } finally {
      closeSync(own);
    }
    return { child: wired.child, parts: wired.parts && { ...wired.parts, input: undefined, closeInput: () => undefined } };
  }

  end(): void {
    closeSync(this.#parts.own);
    this.#abandon();
  }

  /** Without a word it runs nothing. */
  #abandon(): void {
    const { wired, ear } = this.#parts;
    ear.end();
    for (const { stream } of wired.parts?.outputs ?? []) stream.destroy();
    wired.parts?.life?.destroy();
  }

  /** A process that waits must not keep the server from ending. */
  #keepServer(isNeeded: boolean): void {
    const { wired, ear } = this.#parts;
    for (const handle of [wired.child, ear, wired.parts?.life]) {
      if (isNeeded && handle !== undefined && "ref" in handle && typeof handle.ref === "function") handle.ref();
      if (!isNeeded && handle !== undefined && "unref" in handle && typeof handle.unref === "function") handle.unref();
    }
  }
}
