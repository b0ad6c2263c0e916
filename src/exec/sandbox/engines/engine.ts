/** The interface of whatever carries out a sandbox plan on Linux. One plan, several engines; each lists what it cannot do. */
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import type { HomeMask, Mount } from "../mounts.ts";

/** The best one first. */
export const engineNames = ["namespaces", "bubblewrap", "landlock"] as const;
export type EngineName = (typeof engineNames)[number];

export type Refusal = { readonly refused: string };

/** One confined command, as data. All paths are real paths. */
export interface SandboxPlan {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasTerminal: boolean;
  readonly network: boolean;
  /** Without a network: whether the sandbox passes a listening socket to the server (`exec/network/listener.ts`). */
  readonly listens?: boolean;
  /** What the command sees, in mount order. Empty for an engine that cannot mount. */
  readonly mounts: readonly Mount[];
  /** Folders that the command may write. */
  readonly writable: readonly string[];
  /** Homes of the server and other folders with secrets, hidden except for some entries. */
  readonly masks: readonly HomeMask[];
  /** What the command may read besides what it may write: usually the whole disk. */
  readonly readable: readonly string[];
  /** Single files that cannot be opened. */
  readonly hidden: readonly string[];
  /** The system-call filter. */
  readonly filter: Uint8Array;
}

export interface Engine {
  readonly name: EngineName;
  /** For people: the name of what confines commands. */
  readonly title: string;
  /** Whether it mounts. An engine that does not cannot protect a name inside a writable folder. */
  readonly mounts: boolean;
  /** Whether it can mount an empty read-only folder over another one. Known after the probe. */
  readonly makesEmptyFolders: boolean;
  /** Why the server cannot listen inside its sandboxes; undefined where it can. */
  readonly noListener: string | undefined;
  /** What it cannot do here, in short sentences for people. Known after the probe. */
  readonly limits: readonly string[];
  /** Tries a minimal sandbox; returns why it does not work. `filter` is the system-call filter. */
  probe(filter: Uint8Array): Promise<string | undefined>;
  /**
   * Why it must not be used with these writable folders: a program that it needs is inside one. Called before any placeholder is created.
   */
  unusableWith(writable: readonly string[]): string | undefined;
  wrap(plan: SandboxPlan): WrappedCommand | Refusal;
  /** Files that the server itself needs for it, to be hidden from commands wherever they are. */
  readonly program: readonly string[];
}
