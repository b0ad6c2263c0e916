/** Answers that no vendor's documentation promises: the thread survives, nothing is lost, and nothing runs forever. */
import assert from "node:assert/strict";
import { type Client, type Thread, TurnFailed } from "../../../src/client/client.ts";
import type { MockReply } from "../../support/model-mocks/frames.ts";
import type { SeenRequest } from "../../support/model-mocks/server.ts";
import { Vendor, type VendorWire } from "../../support/model-mocks/vendor.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

const wires: readonly (readonly [VendorWire, string])[] = [
  ["responses", "gpt-5.5"],
  ["chat", "qwen3-coder"],
  ["anthropic", "claude-sonnet-4-5"],
];
// biome-ignore lint/suspicious/noExplicitAny: request bodies
type Body = any;
const isCompaction = ({ body }: SeenRequest): boolean => JSON.stringify(body).includes("Write a hand-over");
const endsInResult = (body: Body): boolean =>
  /tool_result|function_call_output|"role":"tool"/.test(JSON.stringify((body.messages ?? body.input).at(-1)));

async function open({ app, workspace }: Stage, vendor: Vendor, options: { model: string; config?: string }) {
  const client = await app({ config: `${options.config ?? ""}\n${await vendor.config()}` });
  const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
  return { client, thread: await client.startThread({ cwd: workspace, modelProvider: "mock", model: options.model, ...free }) };
}
const warningsOf = (client: Client): string[] => {
  const warnings: string[] = [];
  client.on("warning", ({ message }) => void warnings.push(message));
  return warnings;
};
const failureOf = async (thread: Thread, text: string): Promise<string> =>
  await thread.run(text).then(
    () => assert.fail("the turn did not fail"),
    (error: unknown) => (error instanceof TurnFailed ? error.message : assert.fail(String(error))),
  );

for (const [wire, model] of wires)
  verifies("agent.repeatedIds", async (stage) => {
    const call = (n: number): MockReply => ({
      calls: [{ id: "call_0", name: "exec_command", args: JSON.stringify({ cmd: `echo number ${n}` }) }],
    });
    let n = 0;
    await using vendor = new Vendor({ wire, think: () => (++n % 3 === 0 ? { text: "done" } : call(n)) });
    const { client, thread } = await open(stage, vendor, { model });
    await thread.run("go");
    await thread.run("go again");
    const sent: Body = vendor.requests.at(-1)?.body;
    const text = JSON.stringify(sent);
    for (const number of [1, 2, 4, 5]) assert.ok(text.includes(`number ${number}\\n`), `${wire}: the output of call ${number}`);
    const ids = text.match(/"(?:call_id|tool_call_id|tool_use_id)":"[^"]+"/g) ?? [];
    assert.ok(new Set(ids).size >= 4, `${wire}: ${ids.join(" ")}`);
    const { thread: read } = await client.call("thread/read", { threadId: thread.id, includeTurns: true });
    const commands = read.turns.flatMap(({ items }) => items.filter(({ type }) => type === "commandExecution"));
    assert.equal(commands.length, 4, `${wire}: every command is an item`);
  });

for (const [wire, model] of wires)
  verifies("agent.emptyAnswer", async (stage) => {
    await using vendor = new Vendor({ wire, think: (_request, n) => (n === 1 ? {} : { text: "here again" }) });
    const { client, thread } = await open(stage, vendor, { model });
    const warnings = warningsOf(client);
    await thread.run("hello");
    assert.ok(
      warnings.some((message) => /empty answer/.test(message)),
      `${wire}: ${warnings.join(" | ")}`,
    );
    assert.equal((await thread.run("are you there?")).text, "here again");
  });

for (const [wire, model] of wires)
  verifies("agent.compactRefused", async (stage) => {
    let calls = 0;
    const think = (request: SeenRequest): MockReply | { status: number; message: string } => {
      if (isCompaction(request)) return { status: 400, message: "This prompt was flagged by a content filter." };
      if (endsInResult(request.body)) return { text: "done" };
      return { calls: [{ id: `c${++calls}`, name: "exec_command", args: JSON.stringify({ cmd: `echo turn ${calls}; seq 1200` }) }] };
    };
    await using vendor = new Vendor({ wire, window: 16_000, think });
    const { client, thread } = await open(stage, vendor, {
      model,
      config: "model_context_window = 16000\nparley = { clear_old_results = false }",
    });
    const warnings = warningsOf(client);
    for (let turn = 1; turn <= 14; turn++) {
      const before = vendor.requests.length;
      assert.equal((await thread.run(`turn ${turn}`)).text, "done", `${wire}, turn ${turn}`);
      assert.ok(vendor.requests.length - before <= 8, `${wire}, turn ${turn}: ${vendor.requests.length - before} requests`);
    }
    assert.ok(
      warnings.some((message) => /oldest part/.test(message)),
      `${wire}: ${warnings.join(" | ")}`,
    );
  });

for (const [wire, model] of wires)
  verifies("agent.tinyWindow", async (stage) => {
    await using vendor = new Vendor({ wire, window: 1500, think: () => ({ text: "done" }) });
    const { thread } = await open(stage, vendor, { model });
    for (const text of ["one", "two", "three"]) {
      const before = vendor.requests.length;
      const message = await failureOf(thread, text);
      assert.ok(vendor.requests.length - before <= 3, `${wire}: ${vendor.requests.length - before} requests`);
      assert.match(message, /window|context length|too long/i);
    }
    assert.match(await failureOf(thread, "four"), /instructions and tools alone take/i, wire);
  });
