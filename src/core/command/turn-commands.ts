/** The commands of one turn: what they left running in their sessions ends with the turn, and processes that left their session are reported. */
import type { RunningCommand } from "../ports/command-runner.ts";

export class TurnCommands {
  readonly #all = new Set<RunningCommand>();
  readonly #reported = new Set<number>();
  #isOver = false;
  readonly #tell: (survivors: readonly number[]) => void;

  constructor(tell: (survivors: readonly number[]) => void) {
    this.#tell = tell;
  }

  add(command: RunningCommand): void {
    this.#all.add(command);
    void command.exit.then(async ({ survivors }) => {
      this.#report(survivors);
      // It ran on after its turn: nobody else ends what it has left behind.
      if (this.#isOver) this.#report(await command.kill());
    });
  }

  /** Ends all but those that run on by somebody's wish. Resolves when nothing of the others' sessions lives. */
  async end(runsOn: (command: RunningCommand) => boolean): Promise<void> {
    this.#isOver = true;
    const ending = [...this.#all].filter((command) => !runsOn(command));
    const survivors = await Promise.all(ending.map((command) => command.kill()));
    this.#report(survivors.flat());
  }

  /** Each process is reported once. */
  #report(survivors: readonly number[]): void {
    const fresh = survivors.filter((pid) => !this.#reported.has(pid));
    for (const pid of fresh) this.#reported.add(pid);
    if (fresh.length > 0) this.#tell(fresh);
  }
}
