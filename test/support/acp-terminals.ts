/** Terminals of a stand-in editor: real processes, with the output kept as the protocol says, and an editor that refuses or never answers where a test wants that. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  type CreateTerminalRequest,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputResponse,
} from "@agentclientprotocol/sdk/unstable";

type Method = "create" | "output" | "waitForExit" | "kill" | "release";

interface Open {
  readonly child: ChildProcess;
  readonly ended: Promise<TerminalExitStatus>;
  output: string;
  truncated: boolean;
  status: TerminalExitStatus | undefined;
}

export class StandInTerminals {
  readonly created: CreateTerminalRequest[] = [];
  readonly calls: Method[] = [];
  readonly #open = new Map<string, Open>();
  readonly #silent: ReadonlySet<Method>;
  readonly #refuses: ReadonlySet<Method>;

  constructor({ silent = [], refuses = [] }: { readonly silent?: readonly Method[]; readonly refuses?: readonly Method[] } = {}) {
    this.#silent = new Set(silent);
    this.#refuses = new Set(refuses);
  }

  /** Those that were not released. */
  get open(): number {
    return this.#open.size;
  }

  async create(request: CreateTerminalRequest): Promise<{ terminalId: string }> {
    await this.#behave("create");
    this.created.push(request);
    const { command, args = [], cwd, env = [], outputByteLimit } = request;
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, { cwd: cwd ?? undefined, env: { ...process.env, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
    const ended = Promise.withResolvers<TerminalExitStatus>();
    const terminal: Open = { child, ended: ended.promise, output: "", truncated: false, status: undefined };
    const take = (chunk: Buffer): void => {
      terminal.output += chunk.toString("utf8");
      const most = outputByteLimit ?? Number.POSITIVE_INFINITY;
      terminal.truncated ||= terminal.output.length > most;
      if (terminal.truncated) terminal.output = terminal.output.slice(-most);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("close", (exitCode, signal) => {
      terminal.status = { exitCode, signal };
      ended.resolve(terminal.status);
    });
    const terminalId = `term-${this.created.length}`;
    this.#open.set(terminalId, terminal);
    return { terminalId };
  }
  async output(terminalId: string): Promise<TerminalOutputResponse> {
    await this.#behave("output");
    const { output, truncated, status } = this.#of(terminalId);
    return { output, truncated, exitStatus: status ?? null };
  }
  async waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    await this.#behave("waitForExit");
    return await this.#of(terminalId).ended;
  }
  async kill(terminalId: string): Promise<object> {
    await this.#behave("kill");
    this.#of(terminalId).child.kill();
    return {};
  }
  async release(terminalId: string): Promise<object> {
    await this.#behave("release");
    this.#of(terminalId).child.kill();
    this.#open.delete(terminalId);
    return {};
  }
  close(): void {
    for (const { child } of this.#open.values()) child.kill("SIGKILL");
  }

  async #behave(method: Method): Promise<void> {
    this.calls.push(method);
    if (this.#silent.has(method)) await new Promise(() => {});
    if (this.#refuses.has(method)) throw RequestError.internalError(undefined, `no ${method} here`);
  }
  #of(terminalId: string): Open {
    const terminal = this.#open.get(terminalId);
    if (terminal === undefined) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  }
}
