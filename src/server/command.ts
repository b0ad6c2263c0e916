/** `command/exec`: the client's own commands, sandboxed, without a thread. */
import path from "node:path";
import { CommandRefused, type RunningCommand } from "../core/ports/command-runner.ts";
import type { Config } from "../core/ports/config.ts";
import { refuseForbidden } from "../core/settings/requirements.ts";
import { sandboxFrom, sandboxPolicyFor } from "../core/settings/settings.ts";
import type { CommandExecParams, CommandExecResponse, commandRequests } from "../protocol/command.ts";
import { internalError, invalidRequest } from "../protocol/errors.ts";
import type { SandboxPolicy } from "../protocol/policy.ts";
import type { Call, HandlersFor, NamedCommand, Session } from "./app.ts";
import { applyPatchCommand, patchIn } from "./command-patch.ts";

const defaultTimeoutMs = 10_000;
/** How much of each stream is kept if the client sets no cap. */
const defaultCap = 1024 * 1024;
/** How much of each stream is kept at most, even without a cap: it must fit into one response. */
const maxKept = 16 * 1024 * 1024;
/** A command is ended if more unread output than this waits for the client: it would exhaust the memory, or end the connection. */
const maxUnread = 32 * 1024 * 1024;
/** Maximum number of concurrent commands per connection. */
const maxCommands = 64;

export const commandHandlers: HandlersFor<typeof commandRequests> = {
  async "command/exec"(params, call) {
    if (params.command.length === 0) throw invalidRequest("command must not be empty");
    if (streams(params) && !params.processId) throw invalidRequest("processId is required for tty and streaming");
    const { processes } = call.session;
    if (params.processId && processes.has(params.processId))
      throw invalidRequest(`duplicate active command/exec process id: ${JSON.stringify(params.processId)}`);
    if (call.session.commands >= maxCommands)
      throw invalidRequest(`${maxCommands} commands of this connection run already, the most that may at once; wait for one or end one`);
    const patch = patchIn(params);
    if (patch !== undefined) {
      const cwd = path.resolve(params.cwd ?? process.cwd());
      return await applyPatchCommand(patch, { cwd, policy: policyFor(params, call.app.config.effective(cwd)), app: call.app });
    }
    const output = new Output(params, call.session);
    const starting = start(params, call).then((running) => {
      running.onOutput = (chunk, stream) => {
        if (!output.push(chunk, stream)) void running.kill();
      };
      return running;
    });
    // Registered from now on: the client's next message may already be for it.
    if (params.processId) processes.set(params.processId, { starting, takesInput: takesInput(params), tty: params.tty === true });
    call.session.commands++;
    try {
      const exit = await (await starting).exit;
      return { exitCode: exit.exitCode, ...output.texts() };
    } finally {
      call.session.commands--;
      if (params.processId) processes.delete(params.processId);
    }
  },
  async "command/exec/write"(params, { session }) {
    const running = await named(session, params.processId, ({ takesInput }) => {
      if (!takesInput) throw invalidRequest("stdin streaming is not enabled for this command/exec");
    });
    if (params.deltaBase64) running.write(Buffer.from(params.deltaBase64, "base64"));
    if (params.closeStdin === true) running.closeStdin();
    return {};
  },
  async "command/exec/resize"(params, { session }) {
    const running = await named(session, params.processId, ({ tty }) => {
      if (!tty) throw invalidRequest("failed to resize PTY: process is not attached to a PTY");
    });
    running.resize(params.size.cols, params.size.rows);
    return {};
  },
  async "command/exec/terminate"(params, { session }) {
    await (await named(session, params.processId)).kill();
    return {};
  },
};

const streams = (params: CommandExecParams): boolean =>
  params.tty === true || params.streamStdin === true || params.streamStdoutStderr === true;

const takesInput = (params: CommandExecParams): boolean => params.streamStdin === true || params.tty === true;

async function start(params: CommandExecParams, { app, session }: Call): Promise<RunningCommand> {
  const cwd = path.resolve(params.cwd ?? process.cwd());
  const config = app.config.effective(cwd);
  const policy = policyFor(params, config);
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
        ...(params.disableTimeout === true ? {} : { timeoutMs: params.timeoutMs ?? defaultTimeoutMs }),
      },
      { policy, workspaceRoots: [cwd], protectedNames: config.protectedNames, limits: config.commandLimits },
      gone.signal,
    );
    void running.exit.then(forget, forget);
    return running;
  } catch (error) {
    forget();
    if (error instanceof CommandRefused) throw internalError(`failed to spawn command: ${error.message}`);
    throw error;
  }
}

function policyFor({ sandboxPolicy, permissionProfile: permissions }: CommandExecParams, config: Config): SandboxPolicy {
  if (permissions && sandboxPolicy) throw invalidRequest("`permissionProfile` cannot be combined with `sandboxPolicy`");
  refuseForbidden({ sandboxPolicy, permissions }, config, "permissionProfile");
  const usual = { sandboxPolicy: sandboxPolicyFor(config.sandboxMode, config) };
  return sandboxFrom(usual, config, { sandboxPolicy, permissions }).sandboxPolicy;
}

/** Collects or streams a command's output, up to its cap. */
class Output {
  readonly #params: CommandExecParams;
  readonly #session: Session;
  readonly #cap: number;
  readonly #kept = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  readonly #size = { stdout: 0, stderr: 0 };
  #isUnread = false;
  readonly #cut = new Set<string>();

  constructor(params: CommandExecParams, session: Session) {
    this.#params = params;
    this.#session = session;
    const wanted = params.disableOutputCap === true ? Number.POSITIVE_INFINITY : (params.outputBytesCap ?? defaultCap);
    this.#cap = streams(params) ? wanted : Math.min(wanted, maxKept);
  }

  /** False if the command must end because its output is not read. */
  push(chunk: Uint8Array, stream: "stdout" | "stderr"): boolean {
    const room = this.#cap - this.#size[stream];
    if (chunk.length > room) this.#warnOfCut(stream);
    if (room <= 0 || this.#isUnread) return !this.#isUnread;
    const piece = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#size[stream] += piece.length;
    const { processId } = this.#params;
    if (this.#params.streamStdoutStderr !== true && this.#params.tty !== true) this.#kept[stream].push(Buffer.from(piece));
    else if (this.#session.peer.backlog > maxUnread) {
      this.#isUnread = true;
      this.#warn(`it was ended because more than ${maxUnread} bytes were not read by its client`);
    } else if (processId)
      this.#session.notify("command/exec/outputDelta", {
        processId,
        stream,
        deltaBase64: Buffer.from(piece).toString("base64"),
        capReached: this.#size[stream] >= this.#cap,
      });
    return !this.#isUnread;
  }

  /** Once per stream, and not if the client set the cap itself. */
  #warnOfCut(stream: "stdout" | "stderr"): void {
    if (this.#cap !== maxKept || this.#cut.has(stream)) return;
    this.#cut.add(stream);
    this.#warn(`only the first ${maxKept} bytes of ${stream} are kept; use streamStdoutStderr for more`);
  }

  #warn(what: string): void {
    const name = this.#params.processId ?? this.#params.command[0];
    this.#session.notify("warning", { threadId: null, message: `command/exec ${name}: ${what}` });
  }

  texts(): Pick<CommandExecResponse, "stdout" | "stderr"> {
    return { stdout: Buffer.concat(this.#kept.stdout).toString("utf8"), stderr: Buffer.concat(this.#kept.stderr).toString("utf8") };
  }
}

/** Throws invalidRequest if there is no command with this id, or none that `fits`. */
async function named(session: Session, name: string, fits: (command: NamedCommand) => void = () => {}): Promise<RunningCommand> {
  const command = session.processes.get(name);
  const running = await command?.starting.catch(() => undefined);
  if (command !== undefined && running !== undefined) fits(command);
  if (running === undefined) throw invalidRequest(`no active command/exec for process id ${JSON.stringify(name)}`);
  return running;
}
