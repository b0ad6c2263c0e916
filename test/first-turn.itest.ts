/** What a server loads for its first turn with a model that no table knows, on a server of the user's own: nothing that few sessions need. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { root, scratch } from "./support/process.ts";

/** Reports, at the end, the chunks and Node's modules that were loaded, and what of Intl was used: its data are megabytes. */
const spy = `const used = [];
const noting = (owner, name) => {
  const own = owner[name];
  owner[name] = function (...args) { used.push(name); return new.target ? new own(...args) : own.apply(this, args); };
};
noting(Number.prototype, "toLocaleString");
for (const name of ["NumberFormat", "DateTimeFormat", "Collator"]) noting(Intl, name);
process.on("exit", () => {
  const chunks = Object.keys(require.cache).map((file) => require("node:path").basename(file).replace(/-[\\w-]{8}\\.cjs$/, ""));
  console.error(JSON.stringify({ chunks, builtins: process.moduleLoadList, intl: used }));
});
`;

interface ModelEvent {
  readonly type: string;
  readonly response?: object;
  readonly item?: object;
}
type Answer = readonly ModelEvent[];

const event = (data: ModelEvent): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const reply: Answer = [
  { type: "response.created", response: { id: "r" } },
  {
    type: "response.output_item.done",
    item: { type: "message", id: "m_1", role: "assistant", content: [{ type: "output_text", text: "Ready." }] },
  },
  { type: "response.completed", response: { id: "r", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } },
];

const call = { type: "function_call", id: "f_1", call_id: "c_1", name: "exec_command", arguments: '{"cmd":"echo from the shell"}' };
const calling = reply.map((data) => (data.type === "response.output_item.done" ? { ...data, item: call } : data));

/** Gives one answer after another; the last one again and again. */
async function startModel(t: TestContext, answers: readonly Answer[]): Promise<number> {
  let given = 0;
  const model = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end((answers[given++] ?? reply).map(event).join(""));
    });
  });
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  t.after(() => model.close());
  return (model.address() as AddressInfo).port;
}

interface Played {
  readonly warnings: string;
  readonly outputs: string;
  readonly chunks: readonly string[];
  readonly builtins: readonly string[];
  readonly intl: readonly string[];
}

/** The first turn of a server, in which the model gives these answers. */
async function play(t: TestContext, answers: readonly Answer[]): Promise<Played> {
  const [home, workspace] = [scratch(t), scratch(t)];
  const port = await startModel(t, answers);
  writeFileSync(path.join(home, "spy.cjs"), spy);
  const provider = ["[model_providers.mine]", 'name = "mine"', `base_url = "http://127.0.0.1:${port}/v1"`, 'wire_api = "responses"'];
  const access = ['sandbox_mode = "danger-full-access"', 'approval_policy = "never"'];
  writeFileSync(
    path.join(home, "config.toml"),
    ['model = "nobody-knows"', 'model_provider = "mine"', ...access, ...provider, ""].join("\n"),
  );
  const server = spawn(process.execPath, ["-r", path.join(home, "spy.cjs"), path.join(root, "dist", "parley.cjs"), "app-server"], {
    cwd: workspace,
    env: { PATH: "/usr/bin:/bin", HOME: home, CODEX_HOME: path.join(home), TZ: "Europe/Berlin", SHELL: "/bin/bash" },
    timeout: 90_000,
  });
  let report = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    report += text;
  });
  const ended = once(server, "close");
  const ask = (id: number, method: string, params: object): unknown => server.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
  const warnings: string[] = [];
  const outputs: string[] = [];
  ask(0, "initialize", { clientInfo: { name: "t", version: "1" } });
  for await (const line of createInterface(server.stdout)) {
    const { id, method, params, result } = JSON.parse(line);
    if (id === 0) ask(1, "thread/start", {});
    if (id === 1) ask(2, "turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "Hello" }] });
    if (method === "warning") warnings.push(params.message);
    if (method === "item/completed" && params.item.type === "commandExecution") outputs.push(params.item.aggregatedOutput);
    if (method !== "turn/completed") continue;
    assert.equal(params.turn.status, "completed");
    server.stdin.end();
  }
  assert.deepEqual(await ended, [0, null], report);
  return { ...JSON.parse(report), warnings: warnings.join(), outputs: outputs.join() };
}

test("a first turn loads no table but that of models, no digests and no data of languages", async (t) => {
  const { warnings, chunks, builtins, intl } = await play(t, []);
  assert.match(warnings, /`nobody-knows` not found: a window of \d{2,3},000 tokens/);
  assert.ok(chunks.includes("later") && chunks.includes("facts") && !chunks.includes("seldom"), chunks.join());
  assert.ok(builtins.includes("NativeModule net") && !builtins.includes("NativeModule _http_client"), builtins.join());
  assert.ok(!builtins.includes("NativeModule crypto"), builtins.join());
  assert.deepEqual(intl, []);
});

test("a first command of a login shell, without a sandbox, loads nothing of sandboxes, nor of what else few sessions need", async (t) => {
  const { outputs, chunks, builtins } = await play(t, [calling]);
  assert.equal(outputs, "from the shell\n");
  assert.ok(chunks.includes("login-snapshots") && !chunks.includes("seldom"), chunks.join());
  assert.ok(!builtins.includes("NativeModule crypto"), builtins.join());
});
