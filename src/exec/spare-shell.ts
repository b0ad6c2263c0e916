/**
 * A shell that is started ahead of a confined command and then becomes it: made while the command before it runs, so that the next one does
 * not wait until the server has forked. It knows nothing of a command before it is told, and ends by itself when the server does.
 */
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import type { Command, WrappedCommand } from "../core/ports/command-runner.ts";
import { markName } from "./janitor.ts";
import { type PipePool, writeWhole } from "./pipes.ts";
import { findSystemProgram } from "./program.ts";
import { startWired, type Wired } from "./wiring.ts";

/** One line is one command; a line without its end, as of a server that died while it wrote, runs nothing. `$n` is a line break. */
const script = `n='\n'\nIFS= read -r line && eval "exec $line"`;
/** The shell reads its line byte by byte. */
const longestLine = 4_000;
/** Shells differ in how they read other bytes. */
const isPlain = (word: string): boolean => /^[\t\n\x20-\x7e]*$/.test(word);
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`).replaceAll("\n", `'"$n"'`)}'`;

/** What a shell is made for: its descriptors cannot be changed later. */
interface Shape {
  readonly merged: boolean;
  readonly life: number;
  /** Bytes that are the same for every command. Those that follow are a command's own. */
  readonly filter: Uint8Array;
}

/** Undefined for a command that no waiting shell could become. */
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

export class SpareShells {
  readonly #pipes: PipePool;
  #waiting: SpareShell | undefined;

  constructor(pipes: PipePool) {
    this.#pipes = pipes;
  }

  /** A shell that the caller makes the command of; undefined when none waits that could become it. */
  take(command: Command, wrapped: WrappedCommand): SpareShell | undefined {
    const shell = this.#waiting;
    if (shell === undefined || lineOf(wrapped) === undefined) return undefined;
    const shape = shapeOf(command, wrapped);
    if (shape === undefined) return undefined;
    this.#waiting = undefined;
    if (shell.fits(shape)) return shell;
    shell.end();
    return undefined;
  }

  /** Starts a shell for the next command of the kind, unless one waits. `open` are descriptors of the server that it must not inherit. */
  prepare(command: Command, wrapped: WrappedCommand, open: readonly number[]): void {
    const shape = this.#waiting === undefined ? shapeOf(command, wrapped) : undefined;
    const shell = shape === undefined ? undefined : findSystemProgram("sh");
    if (shape === undefined || shell === undefined) return;
    const own = this.#pipes.lend(new Uint8Array());
    if (own === undefined) return;
    const id = randomBytes(16).toString("hex");
    const started = { argv: [shell, "-c", script, "parley-spare"], cwd: "/", env: {}, extra: [shape.filter, own], life: shape.life };
    try {
      const input = { command: { stdin: "open", merged: shape.merged }, wrapped: started, terminal: undefined } as const;
      const wired = startWired({ ...input, env: { [markName]: id }, open }, this.#pipes);
      if (wired.parts !== undefined) this.#waiting = new SpareShell(id, shape, wired, own);
      else wired.child.once("error", () => undefined);
    } catch {
      // No process to be had now: the next command says so itself.
    }
    if (this.#waiting === undefined) closeSync(own);
  }

  drop(): void {
    this.#waiting?.end();
    this.#waiting = undefined;
  }
}

export class SpareShell {
  /** The mark in its environment, and so in that of the command. */
  readonly id: string;
  readonly #shape: Shape;
  readonly #wired: Wired;
  readonly #own: number;

  constructor(id: string, shape: Shape, wired: Wired, own: number) {
    this.id = id;
    this.#shape = shape;
    this.#wired = wired;
    this.#own = own;
    wired.child.stdin?.on("error", () => undefined); // Somebody ended it; its exit tells.
    this.#keepServer(false);
  }

  fits({ merged, life, filter }: Shape): boolean {
    const { child } = this.#wired;
    const own = this.#shape;
    return own.merged === merged && own.life === life && own.filter === filter && child.exitCode === null && child.signalCode === null;
  }

  become(wrapped: WrappedCommand): Wired {
    const { child, parts } = this.#wired;
    const [, own = new Uint8Array()] = wrapped.extra;
    try {
      writeWhole(this.#own, own);
      this.#keepServer(true);
      child.stdin?.end(lineOf(wrapped));
    } catch (error) {
      child.stdin?.end();
      throw error;
    } finally {
      closeSync(this.#own);
    }
    return { child, parts: parts && { ...parts, input: undefined, closeInput: () => undefined } };
  }

  end(): void {
    const { child, parts } = this.#wired;
    closeSync(this.#own);
    child.stdin?.end();
    for (const { stream } of parts?.outputs ?? []) stream.destroy();
    parts?.life?.destroy();
  }

  /** A shell that waits must not keep the server from ending. */
  #keepServer(isNeeded: boolean): void {
    const { child, parts } = this.#wired;
    for (const handle of [child, child.stdin, parts?.life]) {
      if (isNeeded && handle !== null && handle !== undefined && "ref" in handle && typeof handle.ref === "function") handle.ref();
      if (!isNeeded && handle !== null && handle !== undefined && "unref" in handle && typeof handle.unref === "function") handle.unref();
    }
  }
}
