/** The login shells among the commands: each is started as it is, or with the snapshot of what its login files produce. Used by the command runner. */
import type { Command, Confinement, RunningCommand } from "../../core/ports/command-runner.ts";
import type { LoginSnapshots } from "./login-snapshots.ts";

export interface RunOptions {
  readonly signal: AbortSignal;
  /** One of the runner's own, between the commands that it was asked for: what waits for the next of those is left to it. */
  readonly isAside: boolean;
}

export type RunCommand = (command: Command, confinement: Confinement, options: RunOptions) => Promise<RunningCommand>;

/** Decided exactly by what is loaded for it. */
const mayBeLogin = ({ argv: [program = "", flag] }: Command): boolean => (flag === "-lc" || flag === "-cl") && program.endsWith("bash");

export class LoginShells {
  readonly #run: RunCommand;
  readonly #isOn: () => boolean;
  /** Loaded after the first login shell was started. */
  #loading: Promise<LoginSnapshots> | undefined;
  #snapshots: LoginSnapshots | undefined;
  #isClosed = false;

  constructor(run: RunCommand, isOn: () => boolean) {
    this.#run = run;
    this.#isOn = isOn;
  }

  async start(command: Command, confinement: Confinement, signal: AbortSignal): Promise<RunningCommand> {
    const options = { signal, isAside: false };
    if (!mayBeLogin(command) || !this.#isOn()) return await this.#run(command, confinement, options);
    const spared = this.#snapshots?.spared(command, confinement);
    if (spared !== undefined) {
      try {
        return await this.#run(spared, confinement, options);
      } catch {
        // Nothing was started: with more variables it may be too long, for one. As it is, it is started or refused for a reason of its own.
      }
    }
    const running = await this.#run(command, confinement, options);
    this.#notice(command, confinement, running);
    return running;
  }

  close(): void {
    this.#isClosed = true;
    this.#snapshots?.close();
  }

  #notice(command: Command, confinement: Confinement, running: RunningCommand): void {
    if (this.#isClosed) return;
    this.#loading ??= this.#load();
    void this.#loading.then(
      (snapshots) => snapshots.noticed(command, confinement, running),
      () => undefined, // Commands go on as they are.
    );
  }

  async #load(): Promise<LoginSnapshots> {
    const { LoginSnapshots } = await import("./login-snapshots.ts");
    const snapshots = new LoginSnapshots((own, within, signal) => this.#run(own, within, { signal, isAside: true }));
    if (this.#isClosed) snapshots.close();
    this.#snapshots = snapshots;
    return snapshots;
  }
}
