/** The commands of one turn: processes left in their sessions end with the turn, and processes that left their session are reported. */
import type { RunningCommand } from "../ports/command-runner.ts";

export class TurnCommands {
  readonly #all = new Set<RunningCommand>();
  readonly #reported = new Set<number>();
  #isOver = false;
  readonly #onSurvivors: (survivors: readonly number[]) => void;

  constructor(onSurvivors: (survivors: readonly number[]) => void) {
    this.#onSurvivors = onSurvivors;
  }

  add(command: RunningCommand): void {
    this.#all.add(command);
    void command.exit.then(async ({ survivors }) => {
      this.#report(survivors);
      // It outlived its turn, so nothing else ends the processes it left behind.
      if (this.#isOver) this.#report(await command.kill());
    });
  }

  /** Ends all except those that were kept running on purpose. Resolves when no process of the others' sessions is alive. */
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
    if (fresh.length > 0) this.#onSurvivors(fresh);
  }
}
