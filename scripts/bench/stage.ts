/** Servers on one home with a scripted model, for the measurements that do not need the shared benchmark. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, openClient } from "../../src/client/client.ts";
import { LinesTransport } from "../../src/rpc/stdio.ts";

export interface Server {
  readonly child: ChildProcess;
  readonly client: Client;
  /** When its process was started, on the clock of `performance`. */
  readonly spawnedAt: number;
}

export class Stage {
  readonly #program: string;
  readonly #base = mkdtempSync("/var/tmp/parley-bench-");
  readonly #children = new Set<ChildProcess>();
  readonly home = path.join(this.#base, "home");
  readonly workspace = path.join(this.#base, "workspace");

  /** `steps` is what the model does in every turn, as in a scenario. */
  constructor(program: string, steps = '- say: "x"') {
    this.#program = program;
    for (const folder of [this.home, this.workspace]) mkdirSync(folder);
    const provider =
      'model_context_window = 1000000000\nmodel_provider = "scripted"\nmodel_providers.scripted.name = "scripted"\nmodel_providers.scripted.options.scenario = "scenario.yaml"\n';
    writeFileSync(path.join(this.home, "config.toml"), provider);
    writeFileSync(path.join(this.home, "scenario.yaml"), `turns:\n  - user: "/./"\n    steps:\n      ${steps}\n`);
  }

  /** A server for one client; of another program, if one is given. */
  async start(program = this.#program): Promise<Server> {
    const spawnedAt = performance.now();
    const child = this.#spawn(program, []);
    if (child.stdout === null || child.stdin === null) throw new Error("a server without pipes");
    const client = await openClient(new LinesTransport(child.stdout, child.stdin), {
      clientInfo: { name: "bench", version: "1" },
      capabilities: { experimentalApi: true },
    });
    return { child, client, spawnedAt };
  }
  /** A server for any number of clients, with its address. */
  async listen(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const child = this.#spawn(this.#program, ["--listen", "ws://127.0.0.1:0"]);
    const url = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const found = /ws:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", () => reject(new Error(`the server ended: ${text.slice(0, 300)}`)));
    });
    return { child, url };
  }
  #spawn(program: string, flags: readonly string[]): ChildProcess {
    const child = spawn(program, ["app-server", ...flags], {
      cwd: this.workspace,
      env: { ...process.env, HOME: this.#base, CODEX_HOME: this.home },
      stdio: ["pipe", "pipe", flags.length === 0 ? "ignore" : "pipe"],
    });
    this.#children.add(child);
    return child;
  }

  async stop({ child }: Pick<Server, "child">): Promise<void> {
    this.#children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The most memory that a process has had, in MB; undefined where the system does not say. */
export function peakMemory({ pid }: ChildProcess): number | undefined {
  try {
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return found === undefined ? undefined : Number(found) / 1024;
  } catch {
    return undefined;
  }
}
