/** Content larger than a model's window: pictures, outputs, tools, histories and messages. No turn may loop, and no thread may become unusable. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type RunOptions, type Thread, TurnFailed } from "../../../src/client/client.ts";
import type { MockReply } from "../../support/model-mocks/frames.ts";
import type { SeenRequest } from "../../support/model-mocks/server.ts";
import { tokensOf, Vendor, type Wish } from "../../support/model-mocks/vendor.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

/** The limit for any turn in this file. */
const maxRequests = 8;
const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
const handOver: MockReply = { text: `HAND-OVER ${"What was done and what is left. ".repeat(10)}` };
const textOf = ({ body }: SeenRequest): string => JSON.stringify(body);
const isCompaction = (request: SeenRequest): boolean => textOf(request).includes("Write a hand-over");
const call = (name: string, args: unknown, id = name): MockReply => ({ calls: [{ id: `call_${id}`, name, args: JSON.stringify(args) }] });

interface Opening {
  readonly model: string;
  readonly config?: string;
  readonly more?: Record<string, unknown>;
}
async function open({ app, workspace }: Stage, vendor: Vendor, { model, config = "", more = {} }: Opening) {
  const client = await app({ config: `${config}\n${await vendor.config()}` });
  return { client, thread: await client.startThread({ cwd: workspace, modelProvider: "mock", model, ...free, ...more }) };
}

/** Runs a turn and returns how many requests it took. */
async function requestsOf(vendor: Vendor, thread: Thread, text: string, options: RunOptions = {}): Promise<number> {
  const before = vendor.requests.length;
  assert.equal((await thread.run(text, options)).text, "done");
  return vendor.requests.length - before;
}

/** Large on disk, and 1200 × 900 pixels by its header. */
function png(bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(file);
  file.writeUInt32BE(1200, 16);
  file.writeUInt32BE(900, 20);
  Buffer.from("0806000000", "hex").copy(file, 24);
  return file;
}

for (const [window, size] of [
  [200_000, 3_500_000],
  [16_000, 400_000],
] as const)
  verifies("agent.picture", async (stage) => {
    const file = path.join(stage.workspace, "large.png");
    writeFileSync(file, png(size));
    const shown: boolean[] = [];
    const think = (request: SeenRequest): Wish => {
      if (isCompaction(request)) return handOver;
      shown.push(textOf(request).includes("data:image/png"));
      return shown.at(-1) === true ? { text: "done" } : call("view_image", { path: file });
    };
    await using vendor = new Vendor({ wire: "responses", window, think });
    const { thread } = await open(stage, vendor, { model: "gpt-5.5", config: `model_context_window = ${window}` });
    assert.equal(await requestsOf(vendor, thread, "look"), 2);
    assert.deepEqual(shown, [false, true]);
  });

/** The newest tool output in a Chat Completions request. */
// biome-ignore lint/suspicious/noExplicitAny: request bodies
const lastOutput = ({ body }: { body: any }): string => body.messages.findLast((m: { role: string }) => m.role === "tool")?.content ?? "";

verifies("agent.longCommand", async (stage) => {
  const outputs: string[] = [];
  const think = (request: SeenRequest): Wish => {
    if (isCompaction(request)) return handOver;
    const output = lastOutput(request);
    if (output !== "" && output !== outputs.at(-1)) outputs.push(output);
    const file = /all of it is in (\S+?)…/.exec(outputs[0] ?? "")?.[1];
    if (file === undefined) return call("shell_command", { command: "seq 40000" }, "long");
    return outputs.length === 1
      ? call("shell_command", { command: `wc -l < ${file}; grep -n -x 23456 ${file}` }, "look")
      : { text: "done" };
  };
  await using vendor = new Vendor({ wire: "chat", window: 8192, think });
  const more = { sandbox: "read-only" };
  const { thread } = await open(stage, vendor, { model: "qwen3-coder", config: "model_context_window = 8192", more });
  const requests = await requestsOf(vendor, thread, "count");
  assert.ok(requests <= maxRequests, `${requests} requests`);
  assert.match(outputs[0] ?? "", /^1\n|\n1\n/);
  assert.match(outputs[0] ?? "", /tokens truncated[^…]*…[\s\S]*\n40000/);
  assert.match(outputs[1] ?? "", /40000\n23456:23456/, "its commands can read the file in the sandbox");
  const folder = path.join(stage.home, "parley", "outputs");
  const [name = ""] = readdirSync(folder);
  assert.deepEqual([statSync(folder).mode & 0o777, statSync(path.join(folder, name)).mode & 0o777], [0o700, 0o600]);
});

verifies("agent.longToolResult", async (stage) => {
  const long = Array.from({ length: 60_000 }, (_, i) => `line ${i}`).join("\n");
  let output = "";
  const think = (request: SeenRequest): Wish => {
    if (isCompaction(request)) return handOver;
    output = lastOutput(request);
    return output === "" ? call("ticket", {}) : { text: "done" };
  };
  await using vendor = new Vendor({ wire: "chat", window: 32_000, think });
  const ticket = { name: "ticket", description: "A ticket", inputSchema: { type: "object", properties: {} } };
  const opening = { model: "qwen3-coder", config: "model_context_window = 32000", more: { dynamicTools: [ticket] } };
  const { client, thread } = await open(stage, vendor, opening);
  client.answer("item/tool/call", () => ({ contentItems: [{ type: "inputText", text: long }], success: true }));
  const requests = await requestsOf(vendor, thread, "look");
  assert.ok(requests <= maxRequests, `${requests} requests`);
  assert.ok(Math.max(...vendor.requests.map(({ body }) => tokensOf(body))) < 16_000);
  const file = /all of it is in (\S+?)…/.exec(output)?.[1];
  assert.equal(file === undefined ? undefined : readFileSync(file, "utf8"), long);
});

verifies("agent.manyTools", async (stage) => {
  await using vendor = new Vendor({
    wire: "chat",
    window: 16_000,
    think: (request) => (isCompaction(request) ? handOver : { text: "done" }),
  });
  const tools = Array.from({ length: 60 }, (_, i) => ({
    name: `tool_${i}`,
    description: `Number ${i}. ${"Says a little of what it does. ".repeat(6)}`,
    inputSchema: { type: "object", properties: { id: { type: "string", description: "Which one." } } },
  }));
  const opening = { model: "qwen3-coder", config: "model_context_window = 16000", more: { dynamicTools: tools } };
  const { thread } = await open(stage, vendor, opening);
  for (const text of ["one", "two", "three"]) {
    const requests = await requestsOf(vendor, thread, text);
    assert.ok(requests <= maxRequests, `${requests} requests`);
  }
});

for (const wire of ["chat", "anthropic", "responses"] as const)
  verifies("agent.overflow", async (stage) => {
    const think = (request: SeenRequest, n: number): Wish => {
      if (isCompaction(request)) return handOver;
      const isAnswered = /"role":"tool"|"tool_result"|"function_call_output"/.test(
        // biome-ignore lint/suspicious/noExplicitAny: request bodies
        JSON.stringify(((request.body as any).messages ?? (request.body as any).input).at(-1)),
      );
      return isAnswered ? { text: "done" } : call("exec_command", { cmd: "seq 1500" }, `${n}`);
    };
    // The server believes the window to be larger than it is.
    await using vendor = new Vendor({ wire, window: 10_000, think });
    const { thread } = await open(stage, vendor, { model: "unknown-model", config: "model_context_window = 128000" });
    let refused = 0;
    for (const text of ["one", "two", "three", "four", "five", "six", "seven", "eight"]) {
      const before = vendor.requests.length;
      const requests = await requestsOf(vendor, thread, text);
      assert.ok(requests <= maxRequests, `${wire}: ${requests} requests`);
      refused += vendor.requests.slice(before).filter(({ body }) => tokensOf(body) > 10_000).length;
    }
    assert.ok(refused >= 1 && refused <= 2, `${wire}: the window is remembered; ${refused} requests were too long`);
  });

verifies("agent.overflowWords", async (stage) => {
  await using vendor = new Vendor({
    wire: "chat",
    window: 8192,
    think: (request) => (isCompaction(request) ? handOver : { text: "done" }),
  });
  const { thread } = await open(stage, vendor, { model: "unknown-model", config: "model_context_window = 128000" });
  await requestsOf(vendor, thread, "hello");
  await assert.rejects(thread.run("far too long ".repeat(10_000)), TurnFailed);
  const before = vendor.requests.length;
  assert.equal((await thread.run("shorter now")).text, "done");
  assert.ok(vendor.requests.length - before <= maxRequests, `${vendor.requests.length - before} requests`);
});
