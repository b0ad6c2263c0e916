/** Runs an app-server as a child process and communicates with it over its stdin and stdout. */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { LinesTransport } from "../rpc/stdio.ts";
import type { Transport } from "../rpc/transport.ts";

export interface SpawnOptions {
  /** Program and arguments. Default: the app-server of this package on this Node. Any Codex-compatible command works. */
  readonly command?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  /** Default: this process's environment. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Receives each line the server writes to stderr. Without it, the last lines are kept for the error message of an early exit. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** How long the server has to exit by itself after its stdin was closed. */
const exitGraceMs = 5000;
const keptStderr = 4096;
const ignore = (): void => {};

export function spawnTransport(options: SpawnOptions = {}): Transport {
  const [program, ...args] = options.command ?? ownServer();
  if (program === undefined) throw new TypeError("command is empty: it must contain at least the program");
  const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? process.env, stdio: ["pipe", "pipe", "pipe"] });
  return new ChildTransport(child, child.stdout, child.stdin, watchStderr(child.stderr, options.onStderr));
}

function ownServer(): readonly string[] {
  const isSource = import.meta.filename.endsWith(".ts");
  const entry = path.join(import.meta.dirname, isSource ? "../cli/main.ts" : "../parley.cjs"); // in the bundle this is a chunk
  return [process.execPath, entry, "app-server"];
}

/** Returns a function that returns the last lines written to stderr. */
function watchStderr(stream: Readable, onLine: ((line: string) => void) | undefined): () => string {
  let tail = "";
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-keptStderr);
    if (onLine === undefined) return;
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  return () => tail.trim();
}

class ChildTransport implements Transport {
  readonly kind = "stdio";
  onMessage: (text: string) => void = ignore;
  onTooLong: (head: string) => void = ignore;
  onClose: (error?: Error) => void = ignore;
  onDrain: () => void = ignore;
  readonly #child: ChildProcess;
  readonly #lines: LinesTransport;
  readonly #input: Writable;
  readonly #lastOutput: () => string;
  #asked = false;
  #closed = false;

  constructor(child: ChildProcess, output: Readable, input: Writable, lastOutput: () => string) {
    this.#child = child;
    this.#input = input;
    this.#lastOutput = lastOutput;
    this.#lines = new LinesTransport(output, input);
    this.#lines.onMessage = (text) => this.onMessage(text);
    this.#lines.onTooLong = (head) => this.onTooLong(head);
    this.#lines.onDrain = () => this.onDrain();
    child.on("error", (error) => this.#end(new Error(`cannot start ${child.spawnfile}: ${error.message}`, { cause: error })));
    child.on("close", (code, signal) => this.#end(this.#asked || code === 0 ? undefined : this.#earlyEnd(code, signal)));
  }

  get backlog(): number {
    return this.#lines.backlog;
  }
  send(json: string): void {
    this.#lines.send(json);
  }
  pause(): void {
    this.#lines.pause();
  }
  resume(): void {
    this.#lines.resume();
  }
  close(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#lines.close();
    this.#input.end();
    setTimeout(() => this.#child.kill("SIGKILL"), exitGraceMs).unref();
  }

  cutOff(): void {
    this.close();
  }

  #earlyEnd(code: number | null, signal: string | null): Error {
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const complaint = this.#lastOutput();
    return new Error(`the server ended with ${how}${complaint === "" ? "" : `: ${complaint}`}`);
  }
  #end(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onClose(error);
  }
}
