/** A real app-server process that a test can send requests to, kill, and restart on the same home, using the scripted model. */
import { once } from "node:events";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { type RequirementId, requirements } from "../requirements.ts";
import { ServerProcess } from "./process.ts";
import type { Message } from "./wire.ts";

/** A test on a real process that proves a requirement. */
export function verifiesLive(
  id: RequirementId,
  run: (t: TestContext) => Promise<void>,
  options: { readonly timeout?: number; readonly detail?: string } = {},
): void {
  const detail = options.detail === undefined ? "" : ` (${options.detail})`;
  test(`${id}: ${requirements[id].says}${detail}`, { timeout: options.timeout ?? 300_000 }, run);
}

export interface LiveOptions {
  /** Default: bin/parley app-server. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly capabilities?: unknown;
}

export class LiveServer extends ServerProcess {
  readonly #asked = new Map<string, string>();
  #next = 1;

  /** Starts a server on `folder`/home and completes the handshake. */
  static async start(t: TestContext, folder: string, options: LiveOptions = {}): Promise<LiveServer> {
    const program = options.program === undefined ? {} : { program: options.program, args: [] };
    const server = new LiveServer(t, options.flags ?? [], options.env ?? {}, { folder, ...program });
    const capabilities = options.capabilities ?? { experimentalApi: true };
    // Landlock protects no names inside a writable folder, so commands need approval first; it is granted here (see `settings` in live-stage.ts).
    server.answers("item/commandExecution/requestApproval", ({ reason }) =>
      /cannot keep commands from changing/.test(reason ?? "") ? { decision: "accept" } : undefined,
    );
    await server.ask("initialize", { clientInfo: { name: "faults", title: null, version: "1" }, capabilities });
    return server;
  }

  /** Sends a request and returns the whole response, whether result or error. */
  ask(method: string, params: unknown = {}, ms?: number): Promise<Message> {
    const id = `ask-${this.#next++}`;
    this.#asked.set(id, method);
    this.send({ id, method, params });
    return this.waitFor((message) => message.id === id && message.method === undefined, `the answer to ${method}`, ms);
  }
  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }
  /** Returns the result; throws on an error response. */
  async call(method: string, params: unknown = {}): Promise<Message> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
  /** The first matching message, already received or still to come. */
  waitFor(fits: (message: Message) => boolean, what: string, ms?: number): Promise<Message> {
    let seen = 0;
    const find = (): Message => {
      for (; seen < this.messages.length; seen++) if (fits(this.messages[seen])) return this.messages[seen];
    };
    return this.until(find, what, ms);
  }
  async startThread(params: Readonly<Record<string, unknown>>): Promise<string> {
    return (await this.call("thread/start", params)).thread.id;
  }
  async startTurn(threadId: string, text: string, params: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.call("turn/start", { threadId, input: [{ type: "text", text }], ...params })).turn.id;
  }
  async turnEnd(turnId: string, ms?: number): Promise<Message> {
    const { params } = await this.waitFor((m) => m.method === "turn/completed" && m.params.turn.id === turnId, "turn/completed", ms);
    return params.turn;
  }
  /** Runs one turn to completion. */
  async turn(threadId: string, text: string, params: Readonly<Record<string, unknown>> = {}, ms?: number): Promise<Message> {
    return await this.turnEnd(await this.startTurn(threadId, text, params), ms);
  }
  /** Answers every server request of one method; those for which `answer` returns undefined stay open. */
  answers(method: string, answer: (params: Message) => unknown): void {
    let seen = 0;
    this.child.stdout.on("data", () => {
      for (; seen < this.messages.length; seen++) {
        const message = this.messages[seen];
        const result = message.method === method && message.id !== undefined ? answer(message.params) : undefined;
        if (result !== undefined) this.send({ id: message.id, result });
      }
    });
  }
  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
  /** Kills it with SIGKILL; resolves once it has exited and all its output has been read. */
  async kill(): Promise<void> {
    if (this.child.stdout.destroyed || !this.isAlive) return;
    const closed = once(this.child, "close");
    this.child.kill("SIGKILL");
    await closed;
  }
  /** Ends it by closing stdin, as a client does that is finished. */
  async stop(): Promise<void> {
    this.child.stdin.end();
    await this.ended;
  }
}

/** All thread files of a home. */
export const rolloutsOf = (home: string): string[] =>
  globSync("{sessions,archived_sessions}/**/*.jsonl", { cwd: home }).map((file) => path.join(home, file));

/** Live processes whose command line or environment contains the mark. */
export function processesWith(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const isMarked = ["cmdline", "environ"].some((part) => textOf(`/proc/${pid}/${part}`).includes(mark));
      return isMarked && !/\) Z /.test(textOf(`/proc/${pid}/stat`));
    })
    .map(Number);
}

function textOf(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  } catch {
    return "";
  }
}

/** Polls for something outside the test's process that emits no event. The timeout only guards against hanging. */
export async function eventually(isTrue: () => boolean | Promise<boolean>, what: string, ms = 60_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`${what} did not come true in ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The peak resident size of a process so far, in megabytes. */
export const peakOf = (server: ServerProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
