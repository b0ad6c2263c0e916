/** A real terminal for tests of the terminal client: its own tmux server with a shell; real keys in, screen content out. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isAlive } from "../../src/exec/processes.ts";
import { atEnd, type Ending } from "./ending.ts";
import { launcher, scratch } from "./process.ts";
import { type StageOptions, writeHome } from "./verifies.ts";

export interface TerminalOptions extends Pick<StageOptions, "turns" | "config"> {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The terminal's reply to a background colour query, such as `#ffffff`. */
  readonly background?: string;
  /** An existing home and workspace. */
  readonly folder?: string;
}

/** Names as tmux knows them: `Enter`, `Escape`, `C-c`, `Up`, `BTab`. */
export type KeyName = string;

/** Only guards against hanging: a busy machine may be slow. */
const patienceMs = 60_000;
const pollMs = 25;

/** Why the tests cannot run here; undefined if they can. */
export function whyNoTmux(): string | undefined {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "tmux is not installed";
  }
}

export class Terminal {
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly #socket: string;

  constructor(t: Ending, options: TerminalOptions = {}) {
    const { columns = 80, rows = 24, env = {} } = options;
    this.folder = options.folder ?? scratch(t);
    this.home = path.join(this.folder, "home");
    this.workspace = path.join(this.folder, "work");
    for (const folder of [this.home, this.workspace]) mkdirSync(folder, { recursive: true });
    if (!existsSync(path.join(this.home, "config.toml"))) writeHome(this.home, { config: trusting, ...options });
    this.#socket = path.join(scratch(t), "tmux");
    atEnd(t, () => this.#end()); // must run before its socket is deleted
    const config = `${this.#socket}.conf`;
    writeFileSync(config, options.background === undefined ? settings : `${settings}set -g window-style bg=${options.background}\n`);
    const all = { ...plainEnv(this.folder, this.home), ...env };
    const command = ["env", "-i", ...Object.entries(all).map(([name, value]) => `${name}=${value}`), "sh", "-i"];
    const size = ["-x", String(columns), "-y", String(rows)];
    execFileSync("tmux", ["-S", this.#socket, "-f", config, "new-session", "-d", ...size, "-c", this.workspace, ...command], {
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", HOME: this.folder },
    });
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  }

  /** Waits for clients to exit: one that is still running would write into deleted folders. */
  async #end(): Promise<void> {
    const running = this.#running();
    this.close();
    for (const end = performance.now() + 20_000; running.some(isAlive) && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  #running(): readonly number[] {
    try {
      const found = execFileSync("ps", ["-o", "pid=", "--ppid", this.fact("pane_pid")], { encoding: "utf8" });
      return found.trim().split(/\s+/).map(Number);
    } catch {
      return []; // nothing is running, or it was closed already
    }
  }

  /** Ends the tmux server and everything running in it. */
  close(): void {
    try {
      this.#tmux("kill-server");
    } catch {} // it has already exited
  }

  keys(...names: readonly KeyName[]): void {
    this.#tmux("send-keys", ...names);
  }
  type(text: string): void {
    this.#tmux("send-keys", "-l", "--", text);
  }
  /** Pastes as a terminal does: with bracketed-paste marks if the program enabled them. */
  paste(text: string): void {
    const file = `${this.#socket}.paste`;
    writeFileSync(file, text);
    this.#tmux("load-buffer", file);
    this.#tmux("paste-buffer", "-p", "-r", "-d");
  }
  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  screen(): string {
    return this.#tmux("capture-pane", "-p");
  }
  /** Includes colours, as escape sequences. */
  styled(): string {
    return this.#tmux("capture-pane", "-p", "-e", "-N");
  }
  /** The scrollback and the screen. */
  scrollback(): string {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-");
  }
  /** Saves the screen for inspection if PARLEY_SCREENS names a folder. */
  keep(name: string): void {
    const folder = process.env["PARLEY_SCREENS"];
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${name}.txt`), this.screen());
    writeFileSync(path.join(folder, `${name}.ansi`), this.styled());
  }
  /** A tmux format variable of the terminal, such as `alternate_on` and `cursor_flag`. */
  /** The terminal's clipboard as set by the program. */
  clipboard(): string {
    return this.#tmux("show-buffer");
  }
  fact(name: string): string {
    return this.#tmux("display-message", "-p", `#{${name}}`).trim();
  }

  /** From now on, also writes every byte of terminal output to this file. */
  record(): { readonly size: () => number; readonly text: () => string } {
    const file = `${this.#socket}.bytes`;
    writeFileSync(file, "");
    this.#tmux("pipe-pane", "-o", `cat >> ${file}`);
    return { size: () => statSync(file).size, text: () => readFileSync(file, "utf8") };
  }

  /** Waits until the screen contains the text or the condition is true; the error shows the actual screen. */
  async until(wanted: string | RegExp | ((screen: string) => boolean), ms = patienceMs): Promise<string> {
    const isThere = typeof wanted === "function" ? wanted : (text: string) => matches(text, wanted);
    return await this.#poll(() => this.screen(), isThere, String(wanted), ms);
  }
  async untilGone(unwanted: string | RegExp, ms = patienceMs): Promise<string> {
    return await this.#poll(
      () => this.screen(),
      (text) => !matches(text, unwanted),
      `the end of ${unwanted}`,
      ms,
    );
  }
  async untilScrollback(wanted: string | RegExp | ((text: string) => boolean), ms = patienceMs): Promise<string> {
    const isThere = typeof wanted === "function" ? wanted : (text: string) => matches(text, wanted);
    return await this.#poll(() => this.scrollback(), isThere, String(wanted), ms);
  }
  async untilFact(name: string, wanted: string, ms = patienceMs): Promise<void> {
    const what = `${name} = ${wanted}`;
    await this.#poll(
      () => this.fact(name),
      (value) => value === wanted,
      what,
      ms,
    );
  }
  async #poll(look: () => string, isThere: (text: string) => boolean, what: string, ms: number): Promise<string> {
    const end = performance.now() + ms;
    for (;;) {
      const text = look();
      if (isThere(text)) return text;
      if (performance.now() > end) throw new Error(`${what} did not come; the screen:\n${this.screen()}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Types the command into the shell and waits until the session is open. */
  async start(...args: readonly string[]): Promise<void> {
    this.type(`parley ${args.join(" ")}`);
    this.keys("Enter");
    await this.until("/help lists");
  }
  /** Waits for text of an answer and for the end of its turn: input sent earlier steers the turn instead of starting another. */
  async answered(wanted: string | RegExp): Promise<string> {
    return await this.until(
      (screen) => matches(screen, wanted) && /Ask for anything|Message:/.test(screen) && !screen.includes("esc to stop"),
    );
  }
  /** Types a message and sends it. */
  say(text: string): void {
    this.type(text);
    this.keys("Enter");
  }
}

const matches = (text: string, wanted: string | RegExp): boolean =>
  typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);

/** Sets the policies explicitly, so that there is no prompt about trusting the workspace. */
const trusting = 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"';

/** No key delay, no status line, and a long scrollback. */
const settings = [
  "set -g default-terminal tmux-256color",
  "set -s escape-time 0",
  "set -s set-clipboard on",
  "set -g status off",
  "set -g history-limit 50000",
  "set -g remain-on-exit on",
  "",
].join("\n");

function plainEnv(folder: string, home: string): Record<string, string> {
  const bin = path.dirname(launcher);
  return {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: folder,
    CODEX_HOME: home,
    LC_ALL: "C.UTF-8",
    TERM: "tmux-256color",
    COLORTERM: "truecolor",
    PS1: "$ ",
  };
}
