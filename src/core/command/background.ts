/** A thread's running commands, with the number by which the model refers to each. */

import type { RunningCommand } from "../ports/command-runner.ts";
import type { CommandOutput } from "./command-output.ts";

export interface Terminal {
  readonly sessionId: number;
  /** Its id on the wire: the session's number, which is known before the program runs. */
  readonly processId: string;
  readonly itemId: string;
  readonly turnId: string;
  /** The script that the shell runs. */
  readonly command: string;
  readonly cwd: string;
  readonly tty: boolean;
  readonly running: RunningCommand;
  readonly output: CommandOutput;
  readonly startedAtMs: number;
  exitCode: number | undefined;
  /** Resolves when the command's item is completed. */
  readonly done: Promise<void>;
}

export class BackgroundTerminals {
  readonly #bySession = new Map<number, Terminal>();
  #next = 1000;

  nextSession(): number {
    return this.#next++;
  }
  add(terminal: Terminal): void {
    this.#bySession.set(terminal.sessionId, terminal);
  }
  find(sessionId: number): Terminal | undefined {
    return this.#bySession.get(sessionId);
  }
  remove(sessionId: number): void {
    this.#bySession.delete(sessionId);
  }
  list(): readonly Terminal[] {
    return [...this.#bySession.values()].filter((terminal) => terminal.exitCode === undefined);
  }
  /** Whether an item belongs to a command that is still running. */
  owns(itemId: string): boolean {
    return this.list().some((terminal) => terminal.itemId === itemId);
  }
  runs(command: RunningCommand): boolean {
    return this.list().some((terminal) => terminal.running === command);
  }
  async kill(processId: string): Promise<boolean> {
    const terminal = this.list().find((t) => t.processId === processId);
    if (terminal === undefined) return false;
    await terminal.running.kill();
    await terminal.done;
    return true;
  }
  /** Resolves when all of them have ended. */
  async killAll(): Promise<void> {
    const all = this.list();
    await Promise.all(all.map((terminal) => terminal.running.kill()));
    await Promise.all(all.map((terminal) => terminal.done));
  }
}
