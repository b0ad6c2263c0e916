/** One running command: its output, its input, and how it ends. */
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandExit, RunningCommand } from "../core/ports/command-runner.ts";
import {
  descendantsOf,
  endTree,
  isMarked,
  listProcesses,
  markedProcesses,
  membersOf,
  type ProcessEntry,
  signalProcess,
} from "./processes.ts";

/**
 * After the command's own process has ended: how long its output may stay silent, and how long it may continue, before we stop waiting for
 * more.
 */
const quietMs = 60;
const drainMs = 1_000;
/** How long a sandbox may take to disappear after its first process has ended. */
const lifeMs = 5_000;
/** How long the inner process of a killed sandbox may take before we search for it. */
const strayMs = 100;
/** How long a confined command without a PID namespace may keep starting processes while they are being killed. */
const endAllMs = 10_000;
const firstPollMs = 5;
/** Node treats a longer timeout as none at all. */
const longestTimer = 2 ** 31 - 1;

export interface LiveOutput {
  readonly stream: Readable;
  readonly name: "stdout" | "stderr";
  /** Must be called immediately. A chunk may be overwritten once `take` has returned. */
  listen(take: (chunk: Uint8Array) => void): void;
}

/** The process that was started for a command, by the server or for it. */
export interface CommandProcess {
  readonly pid?: number | undefined;
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
}

export interface LiveParts {
  readonly child: CommandProcess;
  readonly pid: number;
  readonly outputs: readonly LiveOutput[];
  readonly input: Writable | undefined;
  /** Ends when no process of a command in a PID namespace is left; undefined for other commands. */
  readonly life: Readable | undefined;
  /** Without `life`: whether its session and all processes with its mark end with it. */
  readonly endsAsWhole: boolean;
  /** The mark (NAME=value) in the environment of every process that the command started. */
  readonly mark: string;
  readonly graceMs: number;
  readonly timeoutMs: number | undefined;
  readonly resize: ((cols: number, rows: number) => void) | undefined;
  readonly closeInput: () => void;
  /** A message from the runner itself, shown before the output. */
  readonly note: string | undefined;
  /** A final message for a command that ended with this exit code, if there is one. */
  readonly finalMessage?: (exitCode: number) => string | undefined;
  /** Called once, when no process of the command is left. */
  readonly onGone: () => void;
}

export class LiveCommand implements RunningCommand {
  onOutput: RunningCommand["onOutput"] = () => undefined;
  readonly exit: Promise<CommandExit>;
  readonly #parts: LiveParts;
  readonly #startedAt = performance.now();
  #lastOutputAt = 0;
  /** Pending while something is printed that is not read yet. */
  #reading: Promise<unknown> = Promise.resolve();
  #isDelivered = false;
  #timedOut = false;
  #killing: Promise<readonly number[]> | undefined;
  #isGone = false;
  /** As of the last check. */
  #survivors: readonly number[] = [];

  constructor(parts: LiveParts) {
    this.#parts = parts;
    for (const output of parts.outputs) this.#forward(output);
    parts.input?.on("error", () => undefined); // The command closed its input; nothing reads what was written.
    parts.life?.on("error", () => undefined).resume();
    // Deferred: `onOutput` cannot have been set yet.
    if (parts.note !== undefined) setImmediate(() => this.onOutput(Buffer.from(parts.note ?? ""), "stderr"));
    this.exit = this.#watch();
  }

  /** For the guard that measures resource use. */
  get isItself(): boolean {
    return this.#parts.life === undefined;
  }

  get pid(): number {
    return this.#parts.pid;
  }

  /** A PID namespace keeps all of its processes together. */
  isStray({ pid, session, group }: ProcessEntry): boolean {
    const { endsAsWhole, mark, pid: leader } = this.#parts;
    return endsAsWhole && pid !== leader && (session === leader || group === leader || isMarked(pid, mark));
  }

  write(data: Uint8Array | string): void {
    const { input } = this.#parts;
    if (input?.writable === true) input.write(data);
  }

  closeStdin(): void {
    this.#parts.closeInput();
  }

  resize(cols: number, rows: number): void {
    if (cols > 0 && rows > 0 && !this.#isGone) this.#parts.resize?.(Math.trunc(cols), Math.trunc(rows));
  }

  kill(): Promise<readonly number[]> {
    // The pids of a session that has ended may have been reused.
    this.checkGone();
    if (this.#isGone) return Promise.resolve(this.#survivors);
    const { life } = this.#parts;
    this.#killing ??= (life === undefined ? this.#endSession() : this.#endSandbox(life)).finally(() => {
      this.#killing = undefined;
    });
    return this.#killing;
  }

  /** For the runner: kills everything at once, without time to clean up, and prints the reason to the output. */
  endFor(reason: string): void {
    if (this.#isDelivered || this.#isGone) return;
    this.onOutput(Buffer.from(reason), "stderr");
    signalProcess(this.#parts.pid, "SIGKILL");
    void this.kill();
  }

  /** For the runner: checks whether any process of a finished command is left, and calls `onGone` if not. */
  checkGone(): void {
    const { life } = this.#parts;
    if (!this.#isDelivered || this.#isGone) return;
    if (life === undefined) this.#settleSession();
    else if (isOver(life)) this.#gone();
  }

  #forward({ stream, name, listen }: LiveOutput): void {
    listen((chunk) => {
      this.#lastOutputAt = performance.now();
      const room = this.#isDelivered ? undefined : this.onOutput(chunk, name);
      if (room !== undefined) this.#pause(stream, room);
    });
    stream.on("error", () => undefined); // A terminal reports its end as an error.
  }

  /** Its output stays in the pipe meanwhile, and the command waits when that is full. */
  #pause(stream: Readable, until: Promise<void>): void {
    stream.pause();
    const resume = (): void => {
      this.#lastOutputAt = performance.now();
      stream.resume();
    };
    this.#reading = Promise.all([this.#reading, until.then(resume, resume)]);
  }

  async #watch(): Promise<CommandExit> {
    const { child, outputs, life, timeoutMs } = this.#parts;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#onTimeout(), Math.min(timeoutMs, longestTimer));
    const read = Promise.all(outputs.map(({ stream }) => untilEnded(stream)));
    const { code, signal } = await untilExit(child);
    const durationMs = Math.round(performance.now() - this.#startedAt);
    clearTimeout(timer);
    await this.#untilQuiet(read);
    if (life !== undefined) await within(untilEnded(life), lifeMs);
    if (this.#parts.endsAsWhole) await this.#endAll();
    const exitCode = this.#timedOut ? 124 : (code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    const finalMessage = this.#parts.finalMessage?.(exitCode);
    if (finalMessage !== undefined) this.onOutput(Buffer.from(finalMessage), "stderr");
    this.#isDelivered = true;
    // Another process may still hold the output open. We keep reading, so that its writer is not killed by a broken pipe, but nothing waits
    // for it.
    for (const { stream } of outputs) if ("unref" in stream && typeof stream.unref === "function") stream.unref();
    const survivors = life === undefined ? this.#settleSession() : [];
    if (life !== undefined && !isOver(life)) void untilEnded(life).then(() => this.checkGone());
    else if (life !== undefined) this.#gone();
    return { exitCode, signal, timedOut: this.#timedOut, durationMs, survivors };
  }

  #onTimeout(): void {
    this.#timedOut = true;
    void this.kill();
  }

  /** Resolves when the output has ended, or when none arrived for a moment after the command's own end. */
  async #untilQuiet(read: Promise<unknown>): Promise<void> {
    let reading: Promise<unknown> | undefined;
    for (let endedAt = 0; ; ) {
      if (reading !== this.#reading) {
        reading = this.#reading;
        await reading;
        endedAt = performance.now();
      }
      const now = performance.now();
      const silentSince = Math.max(this.#lastOutputAt, endedAt);
      if (now - silentSince >= quietMs || now - endedAt >= drainMs) return;
      if (await within(read, Math.min(quietMs, quietMs - (now - silentSince) + 1))) return;
    }
  }

  /**
   * Processes left after the command's own process: members of its session still belong to it, those that moved elsewhere are survivors.
   */
  #settleSession(): readonly number[] {
    const { pid, mark } = this.#parts;
    const later = listProcesses(pid);
    const isMember = (entry: ProcessEntry): boolean => entry.session === pid || entry.group === pid;
    if (!later.some(isMember)) this.#gone();
    this.#survivors = later.filter((entry) => !isMember(entry) && isMarked(entry.pid, mark)).map((entry) => entry.pid);
    return this.#survivors;
  }

  /** Sends KILL to all processes that a confined command left, in its session or marked elsewhere, until none is found. */
  async #endAll(): Promise<void> {
    const { pid, mark } = this.#parts;
    const left = (): number[] => [...new Set([...membersOf(pid), ...markedProcesses(mark, pid)])];
    await eventually(() => {
      const found = left();
      for (const stray of found) signalProcess(stray, "SIGKILL");
      return found.length === 0;
    }, endAllMs);
  }

  /** Sends TERM to the session and the group, then KILL to what is left of them. */
  async #endSession(): Promise<readonly number[]> {
    const { pid, graceMs } = this.#parts;
    if (process.platform === "win32") {
      endTree(pid);
      await this.exit;
      this.#gone();
      return [];
    }
    const send = (signal: NodeJS.Signals): void => {
      signalProcess(-pid, signal);
      for (const member of membersOf(pid)) signalProcess(member, signal);
    };
    send("SIGTERM");
    send("SIGCONT"); // A stopped process handles TERM only after it continues.
    const isEmpty = (): boolean => membersOf(pid).length === 0;
    if (!(await eventually(isEmpty, graceMs))) {
      send("SIGKILL");
      await eventually(isEmpty, graceMs);
    }
    await this.exit;
    return this.#settleSession();
  }

  /** Processes in the sandbox get TERM; the sandbox itself gets only KILL, because its end gives them no time to exit. */
  async #endSandbox(life: Readable): Promise<readonly number[]> {
    const { pid, graceMs, mark } = this.#parts;
    const all = listProcesses(pid);
    const first = all.filter((entry) => entry.parent === pid).map((entry) => entry.pid);
    const inside = first.flatMap((init) => descendantsOf(init, all));
    for (const member of inside) signalProcess(member, "SIGTERM");
    for (const member of inside) signalProcess(member, "SIGCONT");
    const hasEnded = inside.length > 0 && (await Promise.race([this.exit.then(() => true), delay(graceMs, false, { ref: false })]));
    if (!hasEnded) signalProcess(pid, "SIGKILL");
    // If it is killed during setup, the outer process may leave the inner one behind: then it is found by its mark.
    while (!(await eventually(() => isOver(life), strayMs)))
      for (const stray of markedProcesses(mark, pid)) signalProcess(stray, "SIGKILL");
    await this.exit;
    return [];
  }

  /** Stops all its processes where they are, or lets them go on. */
  hold(isHeld: boolean): void {
    const { pid } = this.#parts;
    const all = new Set([pid, ...membersOf(pid), ...descendantsOf(pid, listProcesses(pid))]);
    for (const one of all) signalProcess(one, isHeld ? "SIGSTOP" : "SIGCONT");
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const { stream } of this.#parts.outputs) stream.destroy();
    this.#parts.input?.destroy();
    this.#parts.onGone();
  }
}

function untilExit(child: CommandProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** A terminal may close without an `end` event. */
const isOver = (stream: Readable): boolean => stream.readableEnded || stream.closed;

function untilEnded(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (isOver(stream)) return resolve();
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

/** Whether the promise settled in time. Clears its timer: with many commands they would pile up. */
function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Whatever has arrived meanwhile is read first: on a busy machine it may be this process that was silent.
    const timer = setTimeout(() => setImmediate(resolve, false), ms).unref();
    const kept = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(kept, kept);
  });
}

async function eventually(isTrue: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (let pause = firstPollMs; !isTrue(); pause = Math.min(pause * 2, 100)) {
    if (performance.now() >= end) return false;
    await delay(pause);
  }
  return true;
}
