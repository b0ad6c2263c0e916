/** One of two servers, Parley or the real Codex, for tests that compare their responses. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { ServerProcess, scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { codexProgram } from "./codex-package.ts";

const codex = codexProgram("0.166.0");
export const skip = "skip" in codex ? codex.skip : false;
export const program = "program" in codex ? codex.program : "";

/** Runs the steps on the real Codex and on Parley, each on its own home, and compares the results. */
export async function playOnBoth<T>(
  { t, provider, env }: { readonly t: TestContext; readonly provider: string; readonly env?: Readonly<Record<string, string>> },
  steps: (side: Side) => Promise<T>,
  prepare: (folder: string) => void = () => {},
): Promise<T> {
  const outcomes: T[] = [];
  for (const which of [program, undefined]) {
    const folder = scratch(t);
    mockHome(folder, provider);
    prepare(folder);
    const side = await new Side(t, folder, which, env).open();
    const outcome = JSON.stringify(await steps(side)).replaceAll(folder, "<FOLDER>");
    outcomes.push(JSON.parse(outcome) as T);
    await side.end();
  }
  const [theirs, ours] = outcomes;
  assert.deepEqual(ours, theirs);
  assert.ok(ours !== undefined);
  return ours;
}

/** A home whose only model is the mock at `provider`; `more` comes after it in config.toml. */
export function mockHome(folder: string, provider: string, more = ""): void {
  for (const name of ["home", "ws", "tmp"]) mkdirSync(path.join(folder, name), { recursive: true });
  const config = `model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.mock]
name = "mock"
base_url = "${provider}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
${more}`;
  writeFileSync(path.join(folder, "home", "config.toml"), config);
}

export class Side {
  readonly folder: string;
  readonly isCodex: boolean;
  readonly #server: ServerProcess;
  #ids = 0;

  constructor(t: TestContext, folder: string, program?: string, more: Readonly<Record<string, string>> = {}) {
    this.folder = folder;
    this.isCodex = program !== undefined;
    mkdirSync(path.join(folder, "tmp"), { recursive: true });
    const command = program === undefined ? {} : { program, args: ["-c", "features.remote_models=false", "app-server"] };
    const env = { TMPDIR: path.join(folder, "tmp"), SHELL: "/bin/bash", LANG: "C.UTF-8", ...more };
    this.#server = new ServerProcess(t, [], env, { folder, ...command });
  }

  get received(): readonly Message[] {
    return this.#server.messages.filter((message) => message.method !== undefined);
  }
  // biome-ignore lint/suspicious/noExplicitAny: responses of two programs are compared as they are
  async call(method: string, params: unknown = {}): Promise<any> {
    const id = ++this.#ids;
    this.#server.write(`${JSON.stringify({ id, method, params })}\n`);
    const { result, error } = await this.#server.answer(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  async open(): Promise<this> {
    const capabilities = { experimentalApi: true, requestAttestation: false };
    await this.call("initialize", { clientInfo: { name: "exchange", title: null, version: "1" }, capabilities });
    return this;
  }
  /** The messages about the turn, including its end. */
  async turn(threadId: string, text: string, more: object = {}): Promise<readonly Message[]> {
    const from = this.#server.messages.length;
    await this.call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }], ...more });
    const isEnd = (message: Message): boolean => message.method === "turn/completed" && message.params.threadId === threadId;
    await this.#server.until(() => this.#server.messages.slice(from).find(isEnd), `the end of the turn «${text}»`);
    return this.#server.messages.slice(from).filter((message) => message.method !== undefined);
  }
  /** A message received after the first `from`, already there or still to come. */
  async until(fits: (message: Message) => boolean, what: string, from = 0): Promise<Message> {
    return await this.#server.until(() => this.#server.messages.slice(from).find(fits), what);
  }
  /** Answers the server's next request of the method; its params. */
  async answerNext(method: string, result: unknown): Promise<Message> {
    const from = this.#server.messages.length;
    const asked = await this.#server.until(() => this.#server.messages.slice(from).find((m) => m.method === method), method);
    this.#server.write(`${JSON.stringify({ id: asked.id, result })}\n`);
    return asked.params;
  }
  async notified(method: string, fits: (params: Message) => boolean = () => true): Promise<Message> {
    const found = (): Message | undefined => this.#server.messages.find((m) => m.method === method && fits(m.params));
    return (await this.#server.until(found, method)).params;
  }
  async end(): Promise<void> {
    this.#server.child.stdin.end();
    await this.#server.ended;
  }
}
