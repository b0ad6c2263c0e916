/**
 * After a build: starts the server once, offline, so that the compiled code of everything that a start, usual turns and lists need is cached
 * beside the bundle. A model on loopback answers, since the code that speaks to providers is a good part of a turn.
 */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { makeRepository } from "./small-repository.ts";

const limitMs = 60_000;

/** `program` is started as users start it, since V8's flags matter. `scratch` is created and removed. Without this the first start is slower. */
export async function warmUp(program: readonly string[], scratch: string): Promise<void> {
  const workspace = path.join(scratch, "workspace");
  mkdirSync(workspace, { recursive: true });
  makeRepository(workspace);
  const model = startModel();
  try {
    await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", () => resolve()));
    const { port } = model.address() as AddressInfo;
    const provider = [`base_url = "http://127.0.0.1:${port}/v1"`, 'wire_api = "responses"', 'name = "warm-up"'];
    const lines = ['model_provider = "warm-up"', 'model = "warm-up"', "[model_providers.warm-up]", ...provider];
    writeFileSync(path.join(scratch, "config.toml"), `${lines.join("\n")}\n`);
    await play(program, scratch, workspace);
  } finally {
    model.close();
    model.closeAllConnections();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const event = (value: { readonly type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** Answers every first request of a turn with a command, and every further one with a message. */
function startModel(): Server {
  let answers = 0;
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { input = [] } = parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString());
      const isAfterCommand = input.at(-1)?.type === "function_call_output";
      const id = `warm-up-${++answers}`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ type: "response.created", ...{ response: { id } } }));
      response.write(isAfterCommand ? message(id) : command(id));
      response.end(event({ type: "response.completed", ...{ response: { id, usage } } }));
    });
  });
}
const usage = { input_tokens: 10, output_tokens: 1, total_tokens: 11 };

function command(id: string): string {
  const item = { type: "function_call", id, call_id: id, name: "exec_command", arguments: JSON.stringify({ cmd: `echo ${id}` }) };
  return event({ type: "response.output_item.done", ...{ output_index: 0, item } });
}
function message(id: string): string {
  const item = { type: "message", role: "assistant", id, content: [] };
  const deltas = ["Rea", "dy", "."].map((delta) =>
    event({ type: "response.output_text.delta", ...{ item_id: id, output_index: 0, delta } }),
  );
  const done = { ...item, content: [{ type: "output_text", text: "Ready." }] };
  return [
    event({ type: "response.output_item.added", ...{ output_index: 0, item } }),
    ...deltas,
    event({ type: "response.output_item.done", ...{ output_index: 0, item: done } }),
  ].join("");
}

/** Each thread's turns: without a sandbox, in one, and where the client is asked. Then a command of the client's own. */
const threads = [
  { sandbox: "danger-full-access", approvalPolicy: "never" },
  { sandbox: "workspace-write", approvalPolicy: "never" },
  { sandbox: "danger-full-access", approvalPolicy: "untrusted" },
];
const turnsEach = 2;

async function play([program = "", ...args]: readonly string[], home: string, cwd: string): Promise<void> {
  const { PATH, HOME } = process.env;
  const server = spawn(program, [...args, "app-server"], {
    cwd,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH, HOME, CODEX_HOME: home, PARLEY_TRIAL_RUN: "1" },
    timeout: limitMs,
  });
  const gone = new Promise<void>((resolve) => {
    server.on("close", () => resolve());
    server.on("error", () => resolve());
  });
  server.stdin.on("error", () => {}); // it has exited, which `gone` reports too
  const send = (message: object): unknown => server.stdin.write(`${JSON.stringify(message)}\n`);
  let [asked, onTurnEnd] = [0, (): void => {}];
  const waiting = new Map<number, (result: { readonly thread?: { readonly id: string } }) => void>();
  createInterface(server.stdout).on("line", (line) => {
    const { id, method, result } = JSON.parse(line);
    if (method === undefined) waiting.get(id)?.(result ?? {});
    else if (id !== undefined) send({ id, result: { decision: "accept" } });
    else if (method === "turn/completed") onTurnEnd();
  });
  const ask = (method: string, params: object) =>
    new Promise<{ readonly thread?: { readonly id: string } }>((resolve) => {
      waiting.set(++asked, resolve);
      send({ id: asked, method, params });
    });
  const turn = (threadId: string | undefined): Promise<void> =>
    new Promise((resolve) => {
      onTurnEnd = resolve;
      void ask("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
    });
  const all = async (): Promise<void> => {
    await ask("initialize", { clientInfo: { name: "build", version: "1" } });
    for (const settings of threads) {
      const { thread } = await ask("thread/start", { cwd, ...settings });
      for (let i = 0; i < turnsEach; i++) await turn(thread?.id);
    }
    await ask("command/exec", { command: ["true"], cwd, sandboxPolicy: { type: "workspaceWrite" } });
    for (const sortKey of ["created_at", "updated_at"]) await ask("thread/list", { sortKey });
    server.stdin.end();
  };
  await Promise.race([all(), gone]);
  await gone;
}
