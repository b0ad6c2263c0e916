/** What carries out a sandbox plan on Linux. One plan, several engines; each says what it cannot do. */
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import type { HomeMask, Mount } from "../mounts.ts";

export const engineNames = ["bubblewrap", "namespaces", "landlock"] as const;
export type EngineName = (typeof engineNames)[number];

export type Refusal = { readonly refused: string };

/** One confined command, as data. All paths are real ones. */
export interface SandboxPlan {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasTerminal: boolean;
  readonly network: boolean;
  /** What the command sees, in the order in which it is mounted. Empty for an engine that cannot mount. */
  readonly mounts: readonly Mount[];
  /** Folders that the command may write. */
  readonly writable: readonly string[];
  /** Homes of the server and other folders with secrets, hidden but for some entries. */
  readonly masks: readonly HomeMask[];
  /** Single files that cannot be opened. */
  readonly hidden: readonly string[];
  /** The system-call filter. */
  readonly filter: Uint8Array;
}

export interface Engine {
  readonly name: EngineName;
  /** For people: what confines commands here. */
  readonly title: string;
  /** Whether it mounts. One that does not cannot close a name inside a folder that is open for writing. */
  readonly mounts: boolean;
  /** Whether it can lay an empty folder that cannot be written over another one. Known once it was tried. */
  readonly makesEmptyFolders: boolean;
  /** What it cannot do here, in short sentences for people. Known once it was tried. */
  readonly limits: readonly string[];
  /** Tries the smallest sandbox; answers why there is none. `filter` is the system-call filter. */
  probe(filter: Uint8Array): Promise<string | undefined>;
  /** Why it must not be used with these writable folders: a program that it needs lies in one. Asked before anything is put down. */
  unusableWith(writable: readonly string[]): string | undefined;
  wrap(plan: SandboxPlan): WrappedCommand | Refusal;
  /** What the server itself needs of the disk for it, to be kept from commands wherever it lies. */
  readonly program: readonly string[];
}
