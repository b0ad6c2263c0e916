/**
 * Starts the sandboxes that wait for a command through a small process, which forks in a tenth of the time that the server takes
 * (`sandbox/engines/starter-list.ts`). Server and sandbox find each other's descriptors by name: named pipes in the server's own folder,
 * which the sandbox unlinks once it has opened them. Whatever fails here, the server starts its sandboxes itself.
 */
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { closeSync, constants, fstatSync, openSync, writeFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import type { Writable } from "node:stream";
import type { Ahead, Command } from "../core/ports/command-runner.ts";
import { spawnSealed } from "./descriptors.ts";
import type { CommandProcess, LiveOutput } from "./live-command.ts";
import type { PipePool } from "./pipes.ts";
import { encodeOrder, endedPerOrder, inputDescriptor } from "./sandbox/engines/starter-list.ts";
import { fromPipe, isWritable, type Wired } from "./wiring.ts";

type Starter = NonNullable<Extract<Ahead, { kind: "any command" }>["starter"]>;

export interface StartInput {
  readonly starter: Starter;
  readonly stdin: Command["stdin"];
  /** The list that the sandbox begins with. */
  readonly first: Uint8Array;
  /** NAME=value */
  readonly mark: string;
  /** File descriptors of the server that it must not inherit. */
  readonly open: readonly number[];
}

/** Numbers of ended processes are given back a moment later, or with a later order. */
const reapAfterMs = 20;
/** Until then the kernel may still be taking apart the sandbox, for which the starter would wait. */
const goneAfterMs = 10;
/** After this many the server starts its sandboxes itself. */
const mostFailures = 3;

export class SandboxStarter {
  readonly #pipes: PipePool;
  #process: StarterProcess | undefined;
  /** In a row; on a machine that stalls for seconds, one may come too late. */
  #failures = 0;

  constructor(pipes: PipePool) {
    this.#pipes = pipes;
  }

  /** Undefined where the server has to start it itself. */
  start(input: StartInput): StartedSandbox | undefined {
    if (this.#failures >= mostFailures) return undefined;
    const { folder } = this.#pipes;
    if (folder === undefined) return undefined;
    if (this.#process?.serves(input.starter) !== true) {
      this.#process?.close();
      this.#process = new StarterProcess(input, folder, this.#pipes);
    }
    const process = this.#process;
    const onFailure = (): void => {
      this.#failures++;
      process.close();
    };
    const onReady = (): void => {
      this.#failures = 0;
    };
    return process.start(input, this.#pipes, { onFailure, onReady });
  }

  /** Sandboxes that still run keep their starter. */
  close(): void {
    this.#process?.close();
    this.#process = undefined;
  }
}

class StarterProcess {
  readonly #starter: Starter;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #orders: Writable | undefined;
  /** Files with the lists that sandboxes begin with. */
  readonly #firsts = new Map<Uint8Array, string>();
  readonly #running = new Set<StartedSandbox>();
  #isClosed = false;
  #ended: { readonly pid: number; readonly at: number }[] = [];
  #reaping: NodeJS.Timeout | undefined;

  constructor({ starter, open }: StartInput, folder: string, pipes: PipePool) {
    this.#starter = starter;
    this.#folder = folder;
    const list = pipes.lend(starter.list);
    const [program = "", ...args] = starter.argv;
    const stdio = ["ignore", "ignore", "ignore", list ?? "ignore", "pipe"] as const;
    try {
      this.#child = spawnSealed(program, args, { cwd: folder, env: {}, stdio, detached: true }, open);
    } finally {
      if (list !== undefined) closeSync(list);
    }
    this.#child.on("error", () => this.close());
    this.#child.on("exit", () => this.close());
    this.#child.unref();
    const orders = this.#child.stdio[4];
    if (!isWritable(orders)) return;
    orders.on("error", () => undefined); // It was killed; its sandboxes end with it.
    if ("unref" in orders && typeof orders.unref === "function") orders.unref();
    this.#orders = orders;
  }

  serves(starter: Starter): boolean {
    return !this.#isClosed && starter.list === this.#starter.list;
  }

  start(input: StartInput, pipes: PipePool, outcome: Pick<StartedParts, "onFailure" | "onReady">): StartedSandbox | undefined {
    if (this.#isClosed || this.#orders === undefined) return undefined;
    const files = pipes.takeNames(4);
    if (files === undefined) return undefined;
    const [life = "", second = "", stdout = "", stderr = ""] = files.map((file) => path.basename(file));
    const hasInput = input.stdin === "open";
    const ended = this.#goneForLong();
    const order = encodeOrder(ended, {
      life,
      second,
      stdout,
      stderr,
      first: this.#first(input.first),
      hasInput,
      mark: input.mark,
    });
    if (order === undefined) return undefined;
    const ends = openEnds(files);
    if (ends === undefined) return undefined;
    this.#ended.splice(0, ended.length);
    const started = new StartedSandbox(ends, { hasInput, scratch: pipes.scratch, ...outcome, onEnd: () => this.#hasEnded(started) });
    this.#running.add(started);
    this.#orders.write(order);
    return started;
  }

  /** It stays as long as sandboxes that it started: they end with it. */
  close(): void {
    this.#isClosed = true;
    for (const one of this.#running) one.giveUp();
    if (this.#running.size === 0) this.#orders?.end();
  }

  #first(list: Uint8Array): string {
    let name = this.#firsts.get(list);
    if (name === undefined) {
      name = `pipe-first-${this.#firsts.size}`;
      writeFileSync(path.join(this.#folder, name), list, { mode: 0o600 });
      this.#firsts.set(list, name);
    }
    return name;
  }

  #hasEnded(sandbox: StartedSandbox): void {
    this.#running.delete(sandbox);
    if (sandbox.pid !== undefined) this.#ended.push({ pid: sandbox.pid, at: performance.now() });
    this.#reapLater();
  }

  #reapLater(): void {
    this.#reaping ??= setTimeout(() => this.#reap(), reapAfterMs).unref();
  }

  #goneForLong(): readonly number[] {
    const before = performance.now() - goneAfterMs;
    return this.#ended
      .slice(0, endedPerOrder)
      .filter(({ at }) => at <= before)
      .map(({ pid }) => pid);
  }

  #reap(): void {
    this.#reaping = undefined;
    for (let ended = this.#goneForLong(); ended.length > 0; ended = this.#goneForLong()) {
      this.#ended.splice(0, ended.length);
      const order = encodeOrder(ended);
      if (order !== undefined) this.#orders?.write(order);
    }
    if (this.#ended.length > 0) this.#reapLater();
    else if (this.#isClosed && this.#running.size === 0) this.#orders?.end();
  }
}

/** The server's ends, as file descriptors. */
interface Ends {
  readonly life: number;
  readonly stdout: number;
  readonly stderr: number;
  readonly second: number;
  /** Lets the server open the other end before the sandbox has. */
  readonly reader: number;
}

function openEnds([life = "", second = "", stdout = "", stderr = ""]: readonly string[]): Ends | undefined {
  const opened: number[] = [];
  const open = (file: string, flags: number): number => {
    const fd = openSync(file, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    opened.push(fd);
    return fd;
  };
  try {
    const reader = open(second, constants.O_RDONLY);
    const write = open(second, constants.O_WRONLY);
    const [first, out, error] = [life, stdout, stderr].map((file) => open(file, constants.O_RDONLY));
    if (first === undefined || out === undefined || error === undefined) throw new Error("not opened");
    return { life: first, stdout: out, stderr: error, second: write, reader };
  } catch {
    for (const fd of opened) closeSync(fd);
    return undefined;
  }
}

interface StartedParts {
  readonly hasInput: boolean;
  readonly scratch: Buffer;
  readonly onReady: () => void;
  /** It ended without having become one. */
  readonly onFailure: () => void;
  /** Its number, if it is known, is no longer used by the server. */
  readonly onEnd: () => void;
}

/** A sandbox that a starter was ordered to start; once it is ready it waits for its command. */
export class StartedSandbox extends EventEmitter implements CommandProcess {
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  /** Resolves when it waits for its command, or never will. */
  readonly whenReady: Promise<void>;
  readonly #ends: Ends;
  readonly #parts: StartedParts;
  /** Its own number, then its exit code; it ends when no process of the sandbox is left. */
  readonly #life: Socket;
  #input: Socket | undefined;
  /** Watched before a command begins, so that what it writes to both arrives in the order of its writing. */
  #outputs: LiveOutput[] = [];
  #isReady = false;
  #isAbandoned = false;
  /** Closed when the list was written, or is not going to be. */
  #isGiven = false;
  #number: Buffer = Buffer.alloc(0);
  #settle: () => void = () => undefined;

  constructor(ends: Ends, parts: StartedParts) {
    super();
    this.#ends = ends;
    this.#parts = parts;
    this.whenReady = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#life = new Socket({ fd: ends.life, readable: true, writable: false });
    this.#life.on("error", () => undefined);
    this.#life.on("data", (bytes: Buffer) => this.#report(bytes));
    this.#life.once("end", () => this.#finish());
    this.#life.unref();
  }

  get isAlive(): boolean {
    return this.exitCode === null && this.signalCode === null;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** It becomes the command that the list describes. */
  give(list: Uint8Array | string): Wired {
    this.#isGiven = true;
    for (const handle of [this.#life, this.#input, ...this.#outputs.map(({ stream }) => stream)])
      if (handle instanceof Socket) handle.ref();
    writeAll(this.#ends.second, typeof list === "string" ? Buffer.from(list) : list);
    const input = this.#input;
    return { child: this, parts: { life: this.#life, outputs: this.#outputs, input, resize: undefined, closeInput: () => input?.end() } };
  }

  /** For one that is not ready yet: it may never be. */
  giveUp(): void {
    if (this.pid !== undefined || !this.isAlive) return;
    this.#life.destroy();
    this.#finish();
  }

  /** Without a list it runs nothing. */
  abandon(): void {
    if (this.#isAbandoned || this.#isGiven) return;
    this.#isAbandoned = true;
    // Until then it needs them to get on.
    this.whenReady.then(() => this.#closeAll()).catch(() => undefined);
  }

  #closeAll(): void {
    closeSync(this.#ends.second);
    this.#input?.destroy();
    for (const { stream } of this.#outputs) stream.destroy();
    if (this.#outputs.length === 0) for (const fd of [this.#ends.stdout, this.#ends.stderr]) closeSync(fd);
  }

  #report(bytes: Buffer): void {
    if (this.pid !== undefined) return this.#end(bytes);
    this.#number = Buffer.concat([this.#number, bytes]);
    if (this.#number.length < numberBytes) return;
    this.pid = this.#number.readUInt32LE(0);
    if (!this.#answer(this.pid)) this.abandon();
    else {
      this.#isReady = !this.#isAbandoned;
      this.#parts.onReady();
    }
    this.#settle();
    this.#end(this.#number.subarray(numberBytes));
  }

  /** False if its input cannot be opened. */
  #answer(pid: number): boolean {
    closeSync(this.#ends.reader);
    const { stdout, stderr } = this.#ends;
    this.#outputs = [fromPipe(stdout, "stdout", this.#parts.scratch), fromPipe(stderr, "stderr", this.#parts.scratch)];
    for (const { stream } of this.#outputs) if (stream instanceof Socket) stream.unref();
    if (!this.#parts.hasInput) return true;
    let fd: number | undefined;
    try {
      fd = openSync(`/proc/${pid}/fd/${inputDescriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
      if (!fstatSync(fd).isFIFO()) throw new Error("not a pipe");
      writeSync(this.#ends.second, "!");
      this.#input = new Socket({ fd, readable: false, writable: true });
      this.#input.on("error", () => undefined);
      this.#input.unref();
      return true;
    } catch {
      if (fd !== undefined) closeSync(fd);
      this.#parts.onFailure();
      return false;
    }
  }

  #end(bytes: Buffer): void {
    this.#code = bytes.at(-1) ?? this.#code;
  }
  #code: number | undefined;

  #finish(): void {
    if (this.#code === undefined) this.signalCode = "SIGKILL";
    else this.exitCode = this.#code;
    this.#isReady = false;
    if (this.pid === undefined) {
      closeSync(this.#ends.reader);
      this.#parts.onFailure();
    }
    this.#settle();
    this.#parts.onEnd();
    this.emit("exit", this.exitCode, this.signalCode);
  }
}

const numberBytes = 4;

/** Closes it when all of it was written. A pipe takes 64 kB at once; only a longer list waits for its reader. */
function writeAll(fd: number, bytes: Uint8Array): void {
  let written = 0;
  try {
    written = writeSync(fd, bytes);
  } catch {
    // Full, or it was killed: the stream finds out.
  }
  if (written === bytes.length) return closeSync(fd);
  const stream = new Socket({ fd, readable: false, writable: true });
  stream.on("error", () => undefined);
  stream.end(bytes.subarray(written));
}
