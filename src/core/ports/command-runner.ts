/** Ports: running commands, and confining them. */
import type { SandboxPolicy } from "../../protocol/policy.ts";

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** With a terminal of this size; without it plain pipes. */
  readonly tty?: { readonly cols: number; readonly rows: number };
  /** "closed" gives end of input at once. */
  readonly stdin: "closed" | "open";
  /** Both streams through one pipe: in exact order, all of it reported as stdout. */
  readonly merged?: boolean;
  readonly timeoutMs?: number;
}

/** What a command may touch. Roots come from the session, never from a folder the model chose. */
export interface Confinement {
  readonly policy: SandboxPolicy;
  /** The session's own folders: writable under workspaceWrite beside `policy.writableRoots`. */
  readonly workspaceRoots: readonly string[];
  /** Names that stay read-only in the session's folders and the policy's, beside those that always do. */
  readonly protectedNames?: readonly string[];
  readonly limits?: CommandLimits;
  /**
   * Whether somebody agreed that it may change names that are protected, where this machine's sandbox cannot keep it from that (`openNames`).
   * Without this it is refused there.
   */
  readonly namesMayBeOpen?: boolean;
}

/** What a confined command may use up. 0 is no limit; what is left out has the standard one. */
export interface CommandLimits {
  /** Processes and threads of the whole command. */
  readonly processes?: number | undefined;
  /** Of each process. */
  readonly openFiles?: number | undefined;
  readonly fileMegabytes?: number | undefined;
  readonly memoryMegabytes?: number | undefined;
}

export interface CommandExit {
  /** 124 after a time-out, 128 + n after signal n. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** Processes that left the command's session on purpose and still live (full access only). */
  readonly survivors: readonly number[];
}

export interface RunningCommand {
  readonly pid: number;
  /**
   * Bytes as they come, stdout and stderr interleaved; to be copied by whoever wants to keep them. Set before the first await after `start`,
   * else output may be missed.
   */
  onOutput: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
  write(data: Uint8Array | string): void;
  closeStdin(): void;
  resize(cols: number, rows: number): void;
  /**
   * TERM to the whole session and group, KILL after a grace time; also after `exit`, for what was left running. Resolves when nothing of it
   * lives, with the processes that left the session on purpose and live on (full access only).
   */
  kill(): Promise<readonly number[]>;
  /** Never rejects. Resolves after the last output was delivered. */
  readonly exit: Promise<CommandExit>;
}

export interface CommandRunner {
  /**
   * Starts a command, confined. Contract: throws CommandRefused when it cannot be confined as asked or cannot be started; never runs
   * it with wider rights instead. An aborted signal kills it.
   */
  start(command: Command, confinement: Confinement, signal: AbortSignal): Promise<RunningCommand>;
  /** Which sandbox confines commands on this machine. Tries it out at the first call. */
  sandbox(): Promise<DescribedSandbox>;
  /**
   * Why a command could change names that are protected, where this machine's sandbox cannot keep it from that: then a person is asked first.
   * Undefined where it can.
   */
  openNames(confinement: Confinement): Promise<string | undefined>;
}

/** For people and for tests: what confines commands, and what it cannot do. */
export interface SandboxState {
  /** `none` where commands are refused. */
  readonly engine: "bubblewrap" | "namespaces" | "landlock" | "seatbelt" | "none";
  /** One line; for `none` the reason with the fix. */
  readonly text: string;
  /** What it cannot do that the best one can. */
  readonly limits: readonly string[];
}

/** The same in one line, as the doctor, the page and the terminal say it. */
export interface DescribedSandbox extends SandboxState {
  /** `weaker` where it cannot do all that the best one can, `refused` where no command can be confined. */
  readonly standing: "full" | "weaker" | "refused";
  readonly line: string;
  /** What gives a better one; undefined where there is nothing to mend. */
  readonly fix: string | undefined;
}

/** Why a command was not started: a text for the user with the fix, and the kind for those who decide by it. */
export class CommandRefused extends Error {
  readonly kind: "noSandbox" | "notFound" | "badCwd" | "other";
  constructor(kind: CommandRefused["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Pure: turns a command into the one that runs it confined; never starts anything. */
export interface Sandbox {
  wrap(command: Command, confinement: Confinement): WrappedCommand | { readonly refused: string };
}
export interface WrappedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Bytes for further descriptors (the seccomp filter), from descriptor 3 on. */
  readonly extra: readonly Uint8Array[];
  /** A descriptor that the wrapping keeps open while anything of the command lives. */
  readonly life?: number;
  /** Without such a descriptor: whether all that carries the command's mark ends with it. */
  readonly endsAsWhole?: boolean;
  readonly ahead?: Ahead;
  /** Folders that the command may write, where the wrapping knows them. */
  readonly writable?: readonly string[];
  /** Called when the command has ended: removes what the wrapping had to put down. */
  readonly cleanup?: () => void;
}

/** How the same process is started before the last of `extra` is known. Without its whole word it runs nothing. */
export type Ahead =
  /** Waits for the first bytes of it, its word, at one descriptor, and then finds those that follow at another. */
  | {
      readonly kind: "same command";
      readonly argv: readonly string[];
      readonly waitsAt: number;
      readonly wordLength: number;
      readonly readsAt: number;
    }
  /** Waits for all of it, whatever the command. */
  | { readonly kind: "any command"; readonly argv: readonly string[]; readonly waitsAt: number };
