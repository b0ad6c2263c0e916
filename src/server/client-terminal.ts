/** One command in a client's terminal, as a RunningCommand: its output is polled, and whatever the client does or omits, it ends. */
import { constants } from "node:os";
import type { CommandExit, RunningCommand } from "../core/ports/command-runner.ts";
import { parse } from "../lib/schema.ts";
import { TerminalExitStatus, TerminalOutputResponse } from "../protocol/client-terminal.ts";
import type { Outcome } from "../rpc/peer.ts";
import type { AskClient } from "./client-terminals.ts";
import { TerminalText } from "./terminal-text.ts";

/** How long a client may take to answer what it can answer at once, and how long a killed command may take to end. */
const answerMs = 5_000;
const fastestPollMs = 200;
const slowestPollMs = 2_000;
/** Node treats a longer timeout as none at all. */
const longestTimer = 2 ** 31 - 1;

export interface ClientTerminalOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly answerMs?: number;
}

type End = { readonly status: TerminalExitStatus } | { readonly lost: string; readonly exitCode: number };

export class ClientTerminal implements RunningCommand {
  /** A client does not say. */
  readonly pid = undefined;
  onOutput: RunningCommand["onOutput"] = () => {};
  readonly exit: Promise<CommandExit>;
  readonly #ask: AskClient;
  readonly #id: string;
  readonly #answerMs: number;
  readonly #text = new TerminalText();
  readonly #end = Promise.withResolvers<End>();
  #isOver = false;
  #timedOut = false;
  #killing: Promise<readonly number[]> | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(ask: AskClient, terminalId: string, { timeoutMs, signal, answerMs: waitMs = answerMs }: ClientTerminalOptions) {
    this.#ask = ask;
    this.#id = terminalId;
    this.#answerMs = waitMs;
    this.exit = this.#run(timeoutMs, signal);
  }

  write(): void {
    this.#note("the command runs in a terminal of the client, where only the person can type");
  }
  /** It is the person's terminal: its input and its size are theirs. */
  closeStdin(): void {}
  resize(): void {}

  kill(): Promise<readonly number[]> {
    if (this.#isOver) return Promise.resolve([]);
    this.#killing ??= this.#stop();
    return this.#killing;
  }

  async #stop(): Promise<readonly number[]> {
    await this.#answered("terminal/kill");
    const ended = await this.#soon(this.exit);
    if (ended === undefined) this.#end.resolve({ lost: "the client did not say that the command has ended", exitCode: 137 });
    await this.exit;
    return [];
  }

  async #run(timeoutMs: number | undefined, signal: AbortSignal): Promise<CommandExit> {
    await new Promise(setImmediate); // the caller sets `onOutput` first
    const startedAt = performance.now();
    const stop = (): void => void this.kill();
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#onTimeout(), Math.min(timeoutMs, longestTimer));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.#pollAfter(fastestPollMs);
    void this.#waitForExit();
    const end = await this.#end.promise;
    const durationMs = Math.round(performance.now() - startedAt);
    clearTimeout(timer);
    clearTimeout(this.#poll);
    signal.removeEventListener("abort", stop);
    await this.#deliverAll();
    this.#isOver = true;
    void this.#answered("terminal/release");
    if ("lost" in end) this.#note(end.lost);
    const { exitCode, signal: by } = "lost" in end ? { exitCode: end.exitCode, signal: null } : this.#read(end.status);
    return { exitCode: this.#timedOut ? 124 : exitCode, signal: by, timedOut: this.#timedOut, durationMs, survivors: [] };
  }

  #onTimeout(): void {
    this.#timedOut = true;
    void this.kill();
  }

  async #waitForExit(): Promise<void> {
    const outcome = await this.#ask("terminal/waitForExit", { terminalId: this.#id });
    if (outcome === undefined) return this.#end.resolve({ lost: "the client that ran the command has gone", exitCode: 129 });
    const status = "error" in outcome ? undefined : parse(TerminalExitStatus, outcome.result);
    // A client that cannot wait still shows the end with the output.
    if (status !== undefined) this.#end.resolve({ status });
  }

  #pollAfter(ms: number): void {
    this.#poll = setTimeout(() => void this.#look(ms), ms).unref();
  }
  async #look(ms: number): Promise<void> {
    const askedAt = performance.now();
    const output = await this.#output();
    if (this.#isOver) return;
    if (output?.exitStatus) return this.#end.resolve({ status: output.exitStatus });
    const fresh = output === undefined ? "" : this.#text.more(output);
    this.#deliver(fresh);
    const cost = performance.now() - askedAt;
    this.#pollAfter(Math.min(Math.max(fresh === "" ? ms * 2 : fastestPollMs, cost * 10), slowestPollMs));
  }
  async #deliverAll(): Promise<void> {
    const output = await this.#output();
    if (output !== undefined) this.#deliver(this.#text.rest(output));
  }

  async #output(): Promise<TerminalOutputResponse | undefined> {
    const outcome = await this.#answered("terminal/output");
    return outcome === undefined || "error" in outcome ? undefined : parse(TerminalOutputResponse, outcome.result);
  }
  #answered(method: "terminal/output" | "terminal/kill" | "terminal/release"): Promise<Outcome | undefined> {
    return this.#soon(this.#ask(method, { terminalId: this.#id }));
  }
  async #soon<T>(promise: Promise<T>): Promise<T | undefined> {
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), this.#answerMs);
    try {
      return await Promise.race([promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #deliver(text: string): void {
    if (text !== "" && !this.#isOver) this.onOutput(Buffer.from(text), "stdout");
  }
  #note(text: string): void {
    this.onOutput(Buffer.from(`\n[${text}]\n`), "stderr");
  }
  #read({ exitCode, signal }: TerminalExitStatus): { exitCode: number; signal: string | null } {
    if (typeof exitCode === "number") return { exitCode, signal: signal ?? null };
    const known: Readonly<Record<string, number>> = constants.signals;
    if (signal) return { exitCode: 128 + (known[signal] ?? 0), signal };
    this.#note("the client did not say how the command ended");
    return { exitCode: 1, signal: null };
  }
}
