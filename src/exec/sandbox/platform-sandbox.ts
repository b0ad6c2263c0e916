/**
 * What the runner needs from a platform's sandbox beyond the port: a preparation step that may take time, so that wrapping itself stays
 * cheap.
 */
import type { Confinement, Sandbox, SandboxState } from "../../core/ports/command-runner.ts";

export interface PlatformSandbox extends Sandbox {
  /** Checks whether commands can be confined here and collects what wrapping needs to know. The text of a refusal names the fix. */
  prepare(confinement: Confinement): Promise<{ readonly refused: string } | undefined>;
  /** Describes what confines commands here, for people. */
  state(): Promise<SandboxState>;
  /** Whether the kernel counts a command's processes separately from the user's others. Known after `prepare`. */
  readonly countsApart?: boolean;
  /** See the runner's port. */
  openNames?(confinement: Confinement): Promise<string | undefined>;
  /** What must be removed when the server dies while commands run. */
  readonly leftovers: Leftovers;
  /** Called before a new entry is created, so that the cleanup helper knows about it first. */
  onLeftovers?: () => void;
  /** Removes what was kept for the next command. Called shortly after each command, and at the end. */
  settle?(): void;
}

/** Folders to remove, each after deleting its file `lease`, and only if nothing else is in it. */
export interface Leftovers {
  readonly folders: readonly string[];
  readonly lease: string;
}

export const noLeftovers: Leftovers = { folders: [], lease: "" };

export interface SandboxContext {
  /** The server's own home: never writable, and its secrets not readable. */
  readonly codexHome: string;
  /** The user's home folder. */
  readonly userHome: string | undefined;
  /** Real paths of the server's own program files. */
  readonly program: readonly string[];
  /** Files outside the home that contain secrets of the server: hidden from commands in every mode. Called for each command. */
  secretFiles?(): readonly string[];
  /** The configured engine; read with the first command. Default: the best one. */
  readonly engine?: (() => string) | undefined;
}
