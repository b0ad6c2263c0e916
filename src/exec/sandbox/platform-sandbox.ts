/** What the runner asks of a platform's sandbox beside the port: a look ahead that may take time, so that wrapping itself stays cheap. */
import type { Confinement, Sandbox, SandboxState } from "../../core/ports/command-runner.ts";

export interface PlatformSandbox extends Sandbox {
  /** Finds out whether commands can be confined here and learns what wrapping needs to know. The text of a refusal names the fix. */
  prepare(confinement: Confinement): Promise<{ readonly refused: string } | undefined>;
  /** What confines commands here, for people. */
  state(): Promise<SandboxState>;
  /** Whether the kernel counts a command's processes apart from the user's others. Known once it is prepared. */
  readonly countsApart?: boolean;
  /** See the port of the runner. */
  openNames?(confinement: Confinement): Promise<string | undefined>;
  /** What must go when the server dies while commands run. */
  readonly leftovers: Leftovers;
  /** Called before something new stands among them, so that whoever cleans up after the server knows first. */
  onLeftovers?: () => void;
  /** Takes away what was kept for the next command. Called shortly after each one, and in the end. */
  settle?(): void;
}

/** Folders to be removed, each without the file `lease` in it and only when nothing else is in it. */
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
  /** Real paths of what the server itself is run from. */
  readonly program: readonly string[];
  /** Files outside the home that hold secrets of the server: hidden from commands in every mode. Asked for each command. */
  secretFiles?(): readonly string[];
  /** The engine that the settings name; asked with the first command. The best one when left out. */
  readonly engine?: (() => string) | undefined;
}
