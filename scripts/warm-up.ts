/** After a build: starts the server once, offline, so that the compiled code of everything that a start and a first turn use is cached beside the bundle. */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

const limitMs = 20_000;

/** `program` is started as users start it, since V8's flags matter. `scratch` is created and removed. Without this the first start is slower. */
export async function warmUp(program: readonly string[], scratch: string): Promise<void> {
  mkdirSync(scratch, { recursive: true });
  try {
    // A typical turn, with a command, on the offline model.
    writeFileSync(path.join(scratch, "scenario.json"), JSON.stringify({ turns: [{ steps: [{ run: "true" }, { say: "Ready." }] }] }));
    const lines = ['model_provider = "scripted"', 'sandbox_mode = "danger-full-access"', 'approval_policy = "never"'];
    lines.push('model_providers.scripted.options.scenario = "scenario.json"');
    writeFileSync(path.join(scratch, "config.toml"), `${lines.join("\n")}\n`);
    await oneTurn(program, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function oneTurn([program = "", ...args]: readonly string[], home: string): Promise<void> {
  const { PATH, HOME } = process.env;
  const server = spawn(program, [...args, "app-server"], {
    cwd: home,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH, HOME, CODEX_HOME: home },
    timeout: limitMs,
  });
  const ended = new Promise<void>((resolve) => {
    server.on("close", () => resolve());
    server.on("error", () => resolve());
  });
  server.stdin.on("error", () => {}); // it has exited, which `ended` reports too
  const ask = (id: number, method: string, params: object): unknown => server.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
  createInterface(server.stdout).on("line", (line) => {
    const { id, method, result } = JSON.parse(line);
    if (id === 0) ask(1, "thread/start", { cwd: home });
    else if (id === 1) ask(2, "turn/start", { threadId: result?.thread?.id, input: [{ type: "text", text: "Hello" }] });
    else if (method === "turn/completed") server.stdin.end();
  });
  ask(0, "initialize", { clientInfo: { name: "build", version: "1" } });
  await ended;
}
