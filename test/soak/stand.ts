/** A server under soak: a real process on a unix socket that can be killed and started again on the same home, and its figures. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, connectClient } from "../../src/client/client.ts";
import { eventually } from "../support/live-server.ts";
import { preload } from "../support/live-stage.ts";

const launcher = path.resolve(import.meta.dirname, "../../bin/parley");
/** In the command line or environment of everything that this run starts. */
export const mark = `parley-soak-${process.pid}`;

/** A server that was told to end has this long. */
const endMs = 120_000;

const turns = [
  { user: "/^plain/", steps: [{ reason: "thinking" }, { say: "An answer of some words. ".repeat(20), deltas: 40 }] },
  {
    user: "/^work/",
    steps: [
      { plan: ["look", "change"] },
      { run: `seq 1 400 # ${mark}` },
      { patch: "*** Begin Patch\n*** Add File: {{user}}.txt\n+one\n*** End Patch" },
      { run: "rm -f '{{user}}.txt'" },
      { say: "Done." },
    ],
  },
  { user: "/^ask/", steps: [{ run: `touch asked; sleep 0.02 # ${mark}` }, { say: "That is that." }] },
  { user: "/^slow/", steps: [{ run: `sleep 30 # ${mark}` }, { say: "Late." }] },
  { user: "/^long/", steps: [{ pace: 5 }, { say: "Word by word it goes on. ".repeat(80), deltas: 400 }] },
  { user: "/^flood/", steps: Array(10).fill({ say: "so ".repeat(3000), deltas: 3000 }) },
  { user: "/^fail/", steps: [{ fail: { kind: "internalServerError", retry: true } }, { disconnect: true }, { say: "Third time." }] },
  { user: "/./", steps: [{ say: "Yes." }] },
];

export interface Figures {
  readonly held: number;
  readonly rss: number;
  readonly fds: number;
}

export class Stand {
  readonly folder: string;
  #child: ChildProcess | undefined;
  #stopped = false;
  #restarts = 0;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    mkdirSync(this.workspace);
    writeFileSync(path.join(this.#home, "scenario.json"), JSON.stringify({ turns }));
    const provider = `[model_providers.script]\nname = "Script"\nwire_api = "scripted"\noptions = { scenario = "scenario.json" }\n`;
    writeFileSync(path.join(this.#home, "config.toml"), `model = "scripted"\nmodel_provider = "script"\n${provider}`);
  }
  get #home(): string {
    return path.join(this.folder, "home");
  }
  get #memory(): string {
    return path.join(this.folder, "memory.json");
  }
  get socket(): string {
    return path.join(this.folder, "socket");
  }
  get workspace(): string {
    return path.join(this.folder, "workspace");
  }
  get restarts(): number {
    return this.#restarts;
  }
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    rmSync(this.socket, { force: true });
    const env = {
      PATH: process.env["PATH"],
      HOME: this.folder,
      CODEX_HOME: this.#home,
      PARLEY_SOAK: mark,
      NODE_OPTIONS: preload("collected"),
      PARLEY_TEST_MEMORY: this.#memory,
    };
    const child = spawn(launcher, ["app-server", "--listen", `unix://${this.socket}`], {
      cwd: this.folder,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4000);
    });
    child.on("exit", (code, signal) => {
      if (!this.#stopped && signal !== "SIGKILL") throw new Error(`the server ended by itself (${code ?? signal}): ${said}`);
    });
    await eventually(() => existsSync(this.socket), "the server's socket", 120_000);
  }
  /** Ends it without a word and starts the next one. */
  async killAndRestart(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.kill("SIGKILL");
    await once(child, "exit");
    this.#restarts++;
    await this.start();
  }
  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), endMs);
    await once(child, "exit");
    clearTimeout(late);
  }
  async connect(): Promise<Client> {
    for (let left = 2400; ; left--) {
      try {
        return await connectClient(`unix://${this.socket}`, { clientInfo: { name: "soak", title: null, version: "1" } });
      } catch (error) {
        if (left === 0) throw error;
        await pause(50);
      }
    }
  }
  /** What the server holds after it has collected its garbage, and its resident memory, in MB; and its open descriptors. */
  async figures(): Promise<Figures> {
    rmSync(this.#memory, { force: true });
    process.kill(this.pid, "SIGUSR2");
    await eventually(() => existsSync(this.#memory), "the server's figures", 300_000);
    const { held, rss } = JSON.parse(readFileSync(this.#memory, "utf8"));
    return { held, rss, fds: readdirSync(`/proc/${this.pid}/fd`).length };
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
