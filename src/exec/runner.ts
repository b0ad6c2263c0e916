/** Implements the CommandRunner port. What runs commands is loaded with the first one; until then there is only what other servers left behind. */
import type { CommandRunner } from "../core/ports/command-runner.ts";
import type { Room } from "./command-limits-room.ts";
import { LeftoverNotes } from "./leftovers.ts";
import type { PlatformSandbox } from "./sandbox/platform-sandbox.ts";
import { Runner } from "./spawn.ts";

export interface CommandRunnerOptions {
  readonly codexHome: string;
  /** The user's home; default: the system's. */
  readonly userHome?: string;
  /** Real paths of the server's own program files: read-only for commands wherever they are. */
  readonly program?: readonly string[];
  /** Files outside the home that contain secrets of the server; those recorded in the home are added automatically. */
  readonly secretFiles?: () => readonly string[];
  /** Between TERM and KILL. */
  readonly graceMs?: number;
  /** How long a sandbox is kept ready after the last command. */
  readonly holdMs?: number;
  /** The configured engine of the Linux sandbox; default: the best one on this machine. */
  readonly engine?: (() => string) | undefined;
  /** Replaces the platform's sandbox. */
  readonly sandbox?: PlatformSandbox;
  /** Asked right before a command is started. */
  readonly mayStart?: (() => boolean) | undefined;
  /** Whether login shells may be started with the result of their files instead; default: yes. */
  readonly loginSnapshots?: (() => boolean) | undefined;
  /** Replaces the machine's own figures for free memory and disk space. */
  readonly room?: Room;
}

export interface ClosableRunner extends CommandRunner {
  /** Ends every command that still has processes, and the helper. */
  close(): Promise<void>;
}

/** Cleaning up after a killed server is not urgent: the first responses come first. */
const clearAfterMs = 2_000;

export function createCommandRunner(options: CommandRunnerOptions): ClosableRunner {
  const notes = new LeftoverNotes(options.codexHome);
  const clearing = setTimeout(() => void notes.clearOthers().catch(() => undefined), clearAfterMs).unref();
  let runner: Runner | undefined;
  let isClosed = false;
  const made = (): Runner => {
    if (runner !== undefined) return runner;
    runner = new Runner(options, notes);
    if (isClosed) void runner.close();
    return runner;
  };
  return {
    start: (command, confinement, signal) => made().start(command, confinement, signal),
    hold: (isHeld) => runner?.hold(isHeld),
    sandbox: () => made().sandbox(),
    openNames: (confinement) => made().openNames(confinement),
    async close() {
      isClosed = true;
      clearTimeout(clearing);
      await runner?.close();
      notes.close();
    },
  };
}
