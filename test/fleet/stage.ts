/** A whole fleet for tests: a PostgreSQL of its own, workers and fronts as real processes with the scripted model, and clients of fronts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Engine, openEngine } from "../../src/fleet/engine.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { putTeam } from "../../src/fleet/teams.ts";
import { createToken, type TokenOwner } from "../../src/fleet/tokens.ts";
import { atEnd, type Ending, endedWith } from "../support/ending.ts";
import { Postgres } from "../support/postgres.ts";
import { forcedEngine, launcher, scratch } from "../support/process.ts";
import { writeHome } from "../support/verifies.ts";
import type { Message } from "../support/wire.ts";

/** Only guards against hanging: a busy machine may be slow. */
const patienceMs = 60_000;

/** A worker or a front. */
export class FleetProcess {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = "";
  constructor(t: Ending, name: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>, cwd: string) {
    this.name = name;
    this.child = spawn(launcher, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    endedWith(t, this.child);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        this.output += chunk;
      });
    this.ended = new Promise((resolve) => this.child.once("close", (code) => resolve(code)));
  }
  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
  /** Resolves when its output fits. */
  async said(pattern: RegExp): Promise<string> {
    for (const until = performance.now() + patienceMs; ; await sleep(20)) {
      const found = pattern.exec(this.output);
      if (found !== null) return found[1] ?? found[0];
      if (this.child.exitCode !== null || performance.now() > until) throw new Error(`${this.name} did not say ${pattern}: ${this.output}`);
    }
  }
}

export class FleetStage {
  readonly postgres: Postgres;
  readonly engine: Engine;
  /** The same for all workers, as a mount that they share. */
  readonly workspace: string;
  readonly #t: Ending;
  readonly #folder: string;
  readonly #config: string;
  readonly #homes = new Set<string>();
  /** All that were started, also those that have ended. */
  readonly processes: FleetProcess[] = [];
  #turns: readonly unknown[];
  #next = 0;

  private constructor(t: Ending, parts: { postgres: Postgres; engine: Engine; folder: string; turns: readonly unknown[]; config: string }) {
    this.#t = t;
    this.postgres = parts.postgres;
    this.engine = parts.engine;
    this.#folder = parts.folder;
    this.#turns = parts.turns;
    this.#config = parts.config;
    this.workspace = path.join(parts.folder, "workspace");
    mkdirSync(this.workspace);
  }

  /** With the tables and the teams `a` and `b`. */
  static async start(t: Ending, turns: readonly unknown[], config = ""): Promise<FleetStage> {
    const folder = scratch(t);
    const postgres = await Postgres.start(t);
    const engine = await openEngine({ address: postgres.address, name: "test" });
    atEnd(t, () => engine.close());
    await upgradeSchema(engine);
    for (const team of ["a", "b"]) await putTeam(engine, team, {});
    return new FleetStage(t, { postgres, engine, folder, turns, config });
  }

  /** Resolves when it has joined. */
  async worker(name: string, ...flags: readonly string[]): Promise<FleetProcess> {
    const worker = this.#spawn(name, ["worker", "--name", name, "--listen", "ws://127.0.0.1:0", ...flags]);
    // Not by its row: one that was killed leaves its own behind for a while.
    await worker.said(/ serves the fleet at /);
    return worker;
  }
  async workers(...names: readonly string[]): Promise<FleetProcess[]> {
    return await Promise.all(names.map((name) => this.worker(name)));
  }

  /** Resolves when it serves clients. */
  async front(): Promise<FleetFront> {
    const name = `front-${this.#next++}`;
    const started = this.#spawn(name, ["manager", "--fleet", "--listen", "127.0.0.1:0", "--no-open"]);
    const url = await started.said(/serves the fleet at (http:\S+)/);
    return new FleetFront(this.#t, started, url);
  }

  /** A manager with its page, for the holder of both tokens; resolves with its sign-in link. */
  async manager(front: FleetFront, tokens: { readonly user: string; readonly admin: string }): Promise<string> {
    const name = `manager-${this.#next++}`;
    const fileOf = (kind: "user" | "admin"): string => {
      const file = path.join(this.#folder, `${name}-${kind}-token`);
      writeFileSync(file, tokens[kind], { mode: 0o600 });
      return file;
    };
    const flags = ["--connect", `${front.url.replace(/^http/, "ws")}/rpc`, "--connect-token-file", fileOf("user")];
    const started = this.#spawn(name, [
      ...["manager", ...flags, "--fleet-admin-token-file", fileOf("admin")],
      ...["--listen", "127.0.0.1:0", "--no-open"],
    ]);
    return await started.said(/once: (http:\S+)\n/);
  }

  /** What the models of all workers say from now on. A new worker's model begins a turn anew, so that it needs only the rest of one that goes on. */
  script(turns: readonly unknown[]): void {
    this.#turns = turns;
    for (const home of this.#homes) writeFileSync(path.join(home, "scenario.json"), JSON.stringify({ turns }));
  }

  token(owner: Partial<Extract<TokenOwner, { admin: false }>> = {}): Promise<string> {
    return createToken(this.engine, { admin: false, team: "a", user: "ann", rights: "everything", ...owner });
  }
  adminToken(): Promise<string> {
    return createToken(this.engine, { admin: true });
  }

  /** Who holds the thread now. */
  async holder(threadId: string): Promise<string | null> {
    const [row] = await this.engine.query<{ holder: string | null }>("select holder from parley.threads where id = $1", [threadId]);
    return row?.holder ?? null;
  }

  /** Settings for `thread/start`: no approvals unless said otherwise. */
  settings(more: object = {}): object {
    return { cwd: this.workspace, sandbox: "danger-full-access", approvalPolicy: "never", ...more };
  }

  #spawn(name: string, args: readonly string[]): FleetProcess {
    const home = path.join(this.#folder, name);
    mkdirSync(home, { recursive: true });
    this.#homes.add(home);
    writeHome(home, { turns: this.#turns, config: this.#config });
    const env = { PATH: process.env["PATH"], HOME: this.#folder, CODEX_HOME: home, PARLEY_FLEET: this.postgres.address, ...forcedEngine() };
    const started = new FleetProcess(this.#t, name, args, env, this.#folder);
    this.processes.push(started);
    return started;
  }

  /** What workers and fronts have written into their logs, for those who look for a cause. */
  logs(): string[] {
    return [...this.#homes].flatMap((home) =>
      globSync(path.join(home, "parley/log/*")).map((file) => `${path.basename(home)}:\n${readFileSync(file, "utf8")}`),
    );
  }
}

export class FleetFront {
  readonly process: FleetProcess;
  readonly url: string;
  readonly #t: Ending;
  constructor(t: Ending, started: FleetProcess, url: string) {
    this.#t = t;
    this.process = started;
    this.url = url;
  }
  async client(token: string, more: { readonly optOut?: readonly string[] } = {}): Promise<FleetClient> {
    const ws = new WebSocket(`${this.url.replace(/^http/, "ws")}/rpc`, { headers: { authorization: `Bearer ${token}` } });
    const client = new FleetClient(ws);
    atEnd(this.#t, () => ws.terminate());
    await once(ws, "open");
    const capabilities = { experimentalApi: true, ...(more.optOut === undefined ? {} : { optOutNotificationMethods: more.optOut }) };
    await client.call("initialize", { clientInfo: { name: "fleet-test", title: null, version: "1" }, capabilities });
    return client;
  }
  async get(pathname: string, token?: string): Promise<{ readonly status: number; readonly body: string }> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(this.url + pathname, { headers });
    return { status: response.status, body: await response.text() };
  }
}

/** One connection to a front. */
export class FleetClient {
  readonly messages: Message[] = [];
  /** The code with which the front closed the connection. */
  readonly closed: Promise<number>;
  readonly #ws: WebSocket;
  readonly #waiting = new Set<() => void>();
  #next = 1;
  /** Called after each message. */
  onMessage: () => void = () => {};

  constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on("message", (data) => {
      this.messages.push(JSON.parse(String(data)));
      for (const check of [...this.#waiting]) check();
      this.onMessage();
    });
    ws.on("error", () => {});
    this.closed = new Promise((resolve) => ws.on("close", (code) => resolve(code)));
  }
  send(message: unknown): void {
    this.#ws.send(JSON.stringify(message));
  }
  close(): void {
    this.#ws.close();
  }
  /** Ends the connection without waiting for the front. */
  vanish(): void {
    this.#ws.terminate();
  }
  /** Sends a request; the whole answer. */
  async ask(method: string, params: unknown = {}, ms?: number): Promise<Message> {
    const id = `ask-${this.#next++}`;
    const from = this.messages.length;
    this.send({ id, method, params });
    const gone = this.closed.then((code): never => {
      throw new Error(`the connection ended with ${code} before ${method} was answered`);
    });
    const isAnswer = (message: Message): boolean => message.id === id && message.method === undefined;
    return await Promise.race([this.waitFor(isAnswer, `the answer to ${method}`, ms, from), gone]);
  }
  async call(method: string, params: unknown = {}): Promise<Message> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
  /** The first message from `from` on that fits, already there or still to come. */
  async waitFor(fits: (message: Message) => boolean, what: string, ms = patienceMs, from = 0): Promise<Message> {
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const last = (): string => JSON.stringify(this.messages.slice(-6)).slice(-2000);
    const timer = setTimeout(() => reject(new Error(`${what} did not come in ${ms} ms; last: ${last()}`)), ms);
    let seen = from;
    const check = (): void => {
      for (; seen < this.messages.length; seen++) if (fits(this.messages[seen])) return resolve(this.messages[seen]);
    };
    this.#waiting.add(check);
    check();
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }
  async startThread(params: object): Promise<string> {
    return (await this.call("thread/start", params)).thread.id;
  }
  async startTurn(threadId: string, text: string): Promise<string> {
    return (await this.call("turn/start", { threadId, input: [{ type: "text", text }] })).turn.id;
  }
  async turnEnd(turnId: string, ms?: number): Promise<Message> {
    const fits = (m: Message): boolean => m.method === "turn/completed" && m.params.turn.id === turnId;
    return (await this.waitFor(fits, "turn/completed", ms)).params.turn;
  }
  async turn(threadId: string, text: string): Promise<Message> {
    return await this.turnEnd(await this.startTurn(threadId, text));
  }
  async moved(threadId: string, ms?: number, from = 0): Promise<Message> {
    const fits = (m: Message): boolean => m.method === "fleet/threadMoved" && m.params.threadId === threadId;
    return (await this.waitFor(fits, "fleet/threadMoved", ms, from)).params;
  }
}

/** The answer to a websocket's opening request that is refused. */
export async function refusedUpgrade(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const ws = new WebSocket(url.replace(/^http/, "ws"), { headers });
  return await new Promise((resolve, reject) => {
    ws.on("error", () => {});
    ws.once("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    ws.once("open", () => reject(new Error("it was accepted")));
  });
}
