/**
 * An MCP server as a child process, with one message per line. The library's transport copies its whole buffer for each chunk, so one long
 * message would block all clients for seconds; here each byte is handled once.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { toError } from "../lib/error-text.ts";
import { LineSplitter } from "../lib/json-lines.ts";

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A longer message closes the connection, because the whole message must be held in memory. */
  readonly maxMessageBytes: number;
  readonly onStderr: (text: string) => void;
}

/** How long a server may continue after its stdin was closed, before it gets a signal; whoever started us may not wait longer for our own end. */
const graceMs = 500;
/** How long after the signal, before it is killed. */
const signalGraceMs = 2000;

export class ChildProcessTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: ChildOptions;
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #read: ((line: string) => JSONRPCMessage) | undefined;
  #held = 0;
  #isOver = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { deserializeMessage } = await import("@modelcontextprotocol/client");
    this.#read = deserializeMessage;
    const { command, args, cwd, env, maxMessageBytes } = this.#options;
    const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"], shell: false });
    const splitter = new LineSplitter({ line: (text) => this.#line(text), tooLong: () => this.#tooLong() }, maxMessageBytes);
    child.stdout.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      const lastBreak = chunk.lastIndexOf(0x0a);
      this.#held = lastBreak === -1 ? this.#held + chunk.length : chunk.length - lastBreak;
      if (this.#held > maxMessageBytes) this.#tooLong();
      else splitter.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => this.#options.onStderr(chunk.toString("utf8")));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", (error) => this.onerror?.(error));
    child.on("close", () => this.#over());
    await once(child, "spawn");
    child.on("error", (error) => this.onerror?.(error));
    this.#child = child;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) throw new Error("Not connected");
    if (!child.stdin.write(`${JSON.stringify(message)}\n`)) await Promise.race([once(child.stdin, "drain"), once(child, "close")]);
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, "exit");
    child.stdin.end();
    for (const [signal, ms] of [["SIGTERM", graceMs] as const, ["SIGKILL", signalGraceMs] as const]) {
      if (await within(ended, ms)) break;
      child.kill(signal);
    }
    this.#over();
  }

  #line(text: string): void {
    if (text.trim() === "" || this.#isOver) return;
    let message: JSONRPCMessage | undefined;
    try {
      message = this.#read?.(text);
    } catch (error) {
      this.onerror?.(toError(error));
    }
    if (message !== undefined) this.onmessage?.(message);
  }

  /** Does not wait for the end of the message, which may never come. */
  #tooLong(): void {
    this.onerror?.(new Error("the server sent a message over the size limit"));
    this.#child?.kill("SIGKILL");
    this.#child?.stdout.destroy();
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onclose?.();
  }
}

function within(ended: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const over = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    ended.then(over, over); // do not wait for a process that could not even be signalled
  });
}
