/** A real app-server process, for tests that need actual bytes, exit codes and signals. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { deletedWith, type Ending, endedWith } from "./ending.ts";
import type { Message } from "./wire.ts";

export const root: string = path.resolve(import.meta.dirname, "../..");
/** Only guards against hanging: a busy machine may be slow. */
const patienceMs = 90_000;
export const launcher: string = path.join(root, "bin", "parley");

/** The sandbox engine forced for the whole test run, as environment variables for a server. */
export function forcedEngine(): { readonly PARLEY_SANDBOX_ENGINE?: string } {
  const { PARLEY_SANDBOX_ENGINE } = process.env;
  return PARLEY_SANDBOX_ENGINE === undefined ? {} : { PARLEY_SANDBOX_ENGINE };
}

/** A temporary folder, deleted after the test. */
export function scratch(t: Ending): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-itest-")));
  deletedWith(t, folder);
  return folder;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Messages from the server, oldest first; a line that is not JSON is kept as text. */
  readonly messages: Message[] = [];
  #out = "";
  #err = "";
  readonly #waiting = new Set<() => void>();

  constructor(
    t: TestContext,
    flags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    options: { readonly args?: readonly string[]; readonly folder?: string; readonly program?: string } = {},
  ) {
    const folder = options.folder ?? scratch(t);
    const home = path.join(folder, "home");
    mkdirSync(home, { recursive: true });
    this.child = spawn(options.program ?? launcher, [...(options.args ?? ["app-server"]), ...flags], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home, ...forcedEngine(), ...env },
    });
    endedWith(t, this.child);
    this.child.stdin.on("error", () => {});
    let rest = "";
    this.child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      this.#out += chunk;
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.messages.push(line.startsWith("{") ? JSON.parse(line) : line);
      this.#wake();
    });
    this.child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#err += chunk;
      this.#wake();
    });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        this.#wake();
        resolve({ code, signal, stdout: this.#out, stderr: this.#err });
      });
    });
  }

  get stderr(): string {
    return this.#err;
  }
  write(data: string | Buffer): void {
    this.child.stdin.write(data);
  }
  initialize(): void {
    this.write('{"id":"init","method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}\n');
  }
  answer(id: unknown): Promise<Message> {
    return this.until(() => this.messages.find((message) => message.id === id), `answer ${id}`);
  }
  /** The address printed in the banner. */
  url(): Promise<string> {
    return this.until(() => /listening on: (\S+)\n/.exec(this.#err)?.[1], "the banner");
  }
  async until<T>(find: () => T | undefined, what: string, ms = patienceMs): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(
      () =>
        reject(
          new Error(
            `${what} did not come; last received: ${JSON.stringify(this.messages.slice(-5)).slice(-2000)}; stderr: ${this.#err.slice(-2000)}`,
          ),
        ),
      ms,
    );
    const check = (): void => {
      const found = find();
      if (found !== undefined) resolve(found);
      else if (this.child.exitCode !== null || this.child.signalCode !== null)
        reject(new Error(`${what} did not come before the end (${this.child.exitCode ?? this.child.signalCode}): ${this.#err}`));
    };
    this.#waiting.add(check);
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }
  #wake(): void {
    for (const check of [...this.#waiting]) check();
  }
}
