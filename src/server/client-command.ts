/** A client's own commands outside of any thread: starting them and bounding their output. Serves `command/exec` and `process/*`. */
import type { Confinement, RunningCommand } from "../core/ports/command-runner.ts";
import { CommandRefused } from "../core/ports/command-runner.ts";
import type { Config } from "../core/ports/config.ts";
import { internalError, invalidRequest } from "../protocol/errors.ts";
import type { SandboxPolicy } from "../protocol/policy.ts";
import type { Call, NamedCommand, Session } from "./app.ts";

export const defaultTimeoutMs = 10_000;
/** How much of each stream is kept if the client sets no cap. */
export const defaultCap = 1024 * 1024;
/** How much of each stream is kept at most, even without a cap: it must fit into one message. */
const maxKept = 16 * 1024 * 1024;
/** A command is ended if more unread output than this waits for the client: it would exhaust the memory, or end the connection. */
const maxUnread = 32 * 1024 * 1024;
/** Maximum number of concurrent commands per connection. */
const maxCommands = 64;

type Stream = "stdout" | "stderr";

/** The fields that `command/exec` and `process/spawn` have in common. */
export interface ClientCommand {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string | null>> | null | undefined;
  readonly tty?: boolean | undefined;
  readonly size?: { readonly cols: number; readonly rows: number } | null | undefined;
  readonly streamStdin?: boolean | undefined;
  readonly streamStdoutStderr?: boolean | undefined;
}

export interface Start {
  readonly cwd: string;
  readonly config: Config;
  readonly policy: SandboxPolicy;
  readonly files?: Confinement["files"];
  readonly network?: Confinement["network"];
  /** Without it the command may run forever. */
  readonly timeoutMs: number | undefined;
}

export const takesInput = (params: ClientCommand): boolean => params.streamStdin === true || params.tty === true;
export const streamsOutput = (params: ClientCommand): boolean => params.streamStdoutStderr === true || params.tty === true;

/** Throws invalidRequest if the connection already runs as many commands as it may. */
export function limitCommands({ commands }: Session): void {
  if (commands < maxCommands) return;
  throw invalidRequest(`${maxCommands} commands of this connection run already, the most that may at once; wait for one or end one`);
}

/** The command ends with the connection. */
export async function startCommand(
  params: ClientCommand,
  { cwd, config, policy, files, network, timeoutMs }: Start,
  call: Call,
): Promise<RunningCommand> {
  const { app, session } = call;
  const env = { ...app.commandEnv(config) };
  for (const [name, value] of Object.entries(params.env ?? {})) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error("the client has gone"));
  session.onClose.add(leave);
  const forget = (): void => void session.onClose.delete(leave);
  try {
    const running = await app.runner.start(
      {
        argv: params.command,
        cwd,
        env,
        stdin: takesInput(params) ? "open" : "closed",
        ...(params.tty === true ? { tty: params.size ?? { cols: 80, rows: 24 } } : {}),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
      { policy, files, network, workspaceRoots: [cwd], protectedNames: config.protectedNames, limits: config.commandLimits },
      gone.signal,
    );
    void running.exit.then(forget, forget);
    return running;
  } catch (error) {
    forget();
    throw error;
  }
}

/** The error for a command that could not be started; `what` names it. */
export const spawnError = (what: string, error: unknown): unknown =>
  error instanceof CommandRefused ? internalError(`failed to spawn ${what}: ${error.message}`) : error;

export interface OutputOptions {
  /** Undefined keeps as much as fits into one message. */
  readonly cap: number | undefined;
  readonly isStreamed: boolean;
  /** Names the command in warnings. */
  readonly name: string;
  delta(stream: Stream, deltaBase64: string, capReached: boolean): void;
}

/** Collects or streams a command's output, up to its cap. */
export class Output {
  readonly #session: Session;
  readonly #options: OutputOptions;
  readonly #cap: number;
  readonly #kept = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  readonly #size = { stdout: 0, stderr: 0 };
  #isUnread = false;
  readonly #cut = new Set<Stream>();

  constructor(options: OutputOptions, session: Session) {
    this.#session = session;
    this.#options = options;
    const requested = options.cap ?? Number.POSITIVE_INFINITY;
    this.#cap = options.isStreamed ? requested : Math.min(requested, maxKept);
  }

  /** Ends a command whose output is not read. */
  of(running: RunningCommand): RunningCommand {
    running.onOutput = (chunk, stream) => {
      if (!this.#push(chunk, stream)) void running.kill();
    };
    return running;
  }

  #push(chunk: Uint8Array, stream: Stream): boolean {
    const room = this.#cap - this.#size[stream];
    if (chunk.length > room) this.#warnOfCut(stream);
    if (room <= 0 || this.#isUnread) return !this.#isUnread;
    const piece = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#size[stream] += piece.length;
    if (!this.#options.isStreamed) this.#kept[stream].push(Buffer.from(piece));
    else if (this.#session.peer.backlog > maxUnread) {
      this.#isUnread = true;
      this.#warn(`it was ended because more than ${maxUnread} bytes were not read by its client`);
    } else this.#options.delta(stream, Buffer.from(piece).toString("base64"), this.reachedCap(stream));
    return !this.#isUnread;
  }

  /** Once per stream, and not if the client set the cap itself. */
  #warnOfCut(stream: Stream): void {
    if (this.#cap !== maxKept || this.#cut.has(stream)) return;
    this.#cut.add(stream);
    this.#warn(`only the first ${maxKept} bytes of ${stream} are kept; use streamStdoutStderr for more`);
  }

  #warn(what: string): void {
    this.#session.notify("warning", { threadId: null, message: `${this.#options.name}: ${what}` });
  }

  reachedCap(stream: Stream): boolean {
    return this.#size[stream] >= this.#cap;
  }
  texts(): { stdout: string; stderr: string } {
    return { stdout: Buffer.concat(this.#kept.stdout).toString("utf8"), stderr: Buffer.concat(this.#kept.stderr).toString("utf8") };
  }
}

/** Throws `missing` if there is no such command, or the error of `check` if it cannot do what is requested. */
export async function runningCommand(
  command: NamedCommand | undefined,
  missing: Error,
  check: (command: NamedCommand) => void = () => {},
): Promise<RunningCommand> {
  const running = await command?.starting.catch(() => undefined);
  if (command === undefined || running === undefined) throw missing;
  check(command);
  return running;
}

/** Throws invalidRequest for a command without a terminal. */
export function requireTerminal({ tty }: NamedCommand): void {
  if (!tty) throw invalidRequest("failed to resize PTY: process is not attached to a PTY");
}
