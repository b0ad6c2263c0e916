/** Ports: running commands, and sandboxing them. */
import type { SandboxPolicy } from "../../protocol/policy.ts";
import type { ResolvedFiles } from "./file-access.ts";
import type { CommandNetwork } from "./network-access.ts";

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
  /** The item that shows it. A client that has its thread open may run it in a terminal of its own, where it has no sandbox anyway. */
  readonly item?: { readonly threadId: string; readonly turnId: string; readonly itemId: string };
}

/** What a command may access. Roots come from the session, never from a folder the model chose. */
export interface Confinement {
  readonly policy: SandboxPolicy;
  /** The session's own folders: writable under workspaceWrite in addition to `policy.writableRoots`. */
  readonly workspaceRoots: readonly string[];
  /**
   * The rules of a permission profile. They decide what the command may read and write, in place of `workspaceRoots` and of the policy's
   * folders; where an engine cannot enforce them, the command is refused.
   */
  readonly files?: ResolvedFiles | undefined;
  /** Names that are read-only in the session's and the policy's folders, in addition to those that always are. */
  readonly protectedNames?: readonly string[];
  readonly limits?: CommandLimits;
  /**
   * Whether a person agreed that it may change protected names, where this machine's sandbox cannot prevent that (`openNames`).
   * Without that agreement it is refused.
   */
  readonly namesMayBeOpen?: boolean;
  /** Under a policy without network access: the hosts that it may reach nevertheless. */
  readonly network?: CommandNetwork | undefined;
}

/** Resource limits of a sandboxed command. 0 means no limit; omitted ones have the default. */
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
  /** Undefined where it runs in a client's terminal. */
  readonly pid: number | undefined;
  /**
   * Bytes as they arrive, stdout and stderr interleaved; copy them to keep them. Set before the first await after `start`,
   * else output may be missed. While a returned promise is pending, nothing more is read from that stream: the command waits as it would
   * for a slow reader. It must settle.
   */
  onOutput: (chunk: Uint8Array, stream: "stdout" | "stderr") => Promise<void> | undefined;
  write(data: Uint8Array | string): void;
  closeStdin(): void;
  resize(cols: number, rows: number): void;
  /**
   * TERM to the whole session and group, KILL after a grace time; also after `exit`, for processes left running. Resolves when all of them
   * have ended, with the processes that left the session on purpose and are still alive (full access only).
   */
  kill(): Promise<readonly number[]>;
  /** Never rejects. Resolves after the last output has been delivered. */
  readonly exit: Promise<CommandExit>;
}

export interface CommandRunner {
  /**
   * Starts a sandboxed command. Contract: throws CommandRefused when it cannot be sandboxed as requested or cannot be started; never runs
   * it with wider rights instead. An aborted signal kills it.
   */
  start(command: Command, confinement: Confinement, signal: AbortSignal): Promise<RunningCommand>;
  /** Stops all running commands where they are, or lets them go on: while a worker does not know whether its threads are its own. */
  hold(isHeld: boolean): void;
  /** The sandbox used on this machine. The first call tests it. */
  sandbox(): Promise<DescribedSandbox>;
  /**
   * Why a command could change protected names, where this machine's sandbox cannot prevent that: a person is asked first then.
   * Undefined where the sandbox can prevent it.
   */
  openNames(confinement: Confinement): Promise<string | undefined>;
}

/** For people and tests: the sandbox in use, and what it cannot do. */
export interface SandboxState {
  /** `none` where commands are refused. */
  readonly engine: "bubblewrap" | "namespaces" | "landlock" | "seatbelt" | "none";
  /** One line; for `none` the reason with the fix. */
  readonly text: string;
  /** What it cannot do compared with the best one. */
  readonly limits: readonly string[];
}

/** The same in one line, as the doctor, the web page and the terminal show it. */
export interface DescribedSandbox extends SandboxState {
  /** `weaker` where it lacks something the best one has, `refused` where no command can be sandboxed. */
  readonly standing: "full" | "weaker" | "refused";
  readonly line: string;
  /** How to get a better one; undefined where nothing needs fixing. */
  readonly fix: string | undefined;
}

/** Why a command was not started: a message for the user with the fix, and the kind for code. */
export class CommandRefused extends Error {
  readonly kind: "noSandbox" | "notFound" | "badCwd" | "other";
  constructor(kind: CommandRefused["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Pure: wraps a command so that it runs sandboxed; never starts anything. */
export interface Sandbox {
  wrap(command: Command, confinement: Confinement): WrappedCommand | { readonly refused: string };
}
export interface WrappedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Data for additional file descriptors (the seccomp filter), from descriptor 3 on. */
  readonly extra: readonly Uint8Array[];
  /** A file descriptor that stays open while any process of the command is alive. */
  readonly life?: number;
  /** Without such a descriptor: whether every process marked as the command's ends with it. */
  readonly endsAsWhole?: boolean;
  readonly ahead?: Ahead;
  /** Folders that the command may write, where the sandbox knows them. */
  readonly writable?: readonly string[];
  /** The descriptor of Node's channel over which the sandbox passes the socket for `Confinement.network`. */
  readonly channel?: number;
  /** Why it has no such socket, where one was asked for. */
  readonly noNetwork?: string;
  /** Called when the command has ended: removes the sandbox's temporary files. */
  readonly cleanup?: () => void;
}

/** How the same process is started before the last of `extra` is known. It runs nothing until its whole start message has arrived. */
export type Ahead =
  /** Waits for its first bytes, the start message, on one file descriptor, and then reads the rest from another. */
  | {
      readonly kind: "same command";
      readonly argv: readonly string[];
      readonly waitsAt: number;
      readonly wordLength: number;
      readonly readsAt: number;
    }
  /** Waits for all of it, whatever the command. */
  | {
      readonly kind: "any command";
      readonly argv: readonly string[];
      readonly waitsAt: number;
      /** A process that starts it for the server, which is cheaper than a fork of the server, and the list that this process carries out. */
      readonly starter?: { readonly argv: readonly string[]; readonly list: Uint8Array };
    };
