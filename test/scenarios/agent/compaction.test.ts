/** Compactions over real wires: what is sent, what counts as an answer, and how work continues afterwards. */
import assert from "node:assert/strict";
import type { Client, Thread } from "../../../src/client/client.ts";
import type { MockReply } from "../../support/model-mocks/frames.ts";
import type { SeenRequest } from "../../support/model-mocks/server.ts";
import { sharedPrefix, Vendor, type VendorWire } from "../../support/model-mocks/vendor.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

const wires: readonly (readonly [VendorWire, string])[] = [
  ["responses", "gpt-5.5"],
  ["chat", "qwen3-coder"],
  ["anthropic", "claude-sonnet-4-5"],
];
const handOver = `HAND-OVER ${"What was done and what is left. ".repeat(10)}`;
const isCompaction = ({ body }: SeenRequest): boolean => JSON.stringify(body).includes("Write a hand-over");
const run = (n: number): MockReply => ({
  calls: [{ id: `call_${n}`, name: "exec_command", args: JSON.stringify({ cmd: `echo number ${n}; seq 2000` }) }],
});
/** Runs a command in every turn, then replies. */
const works = ({ body }: SeenRequest, n: number): MockReply =>
  JSON.stringify(body).endsWith("go on") || endsInUserText(body) ? run(n) : { text: "done" };

// biome-ignore lint/suspicious/noExplicitAny: request bodies
type Body = any;
const lastOf = (body: Body): string => JSON.stringify((body.messages ?? body.input).at(-1));
const endsInUserText = (body: Body): boolean => !/tool_result|function_call_output|"role":"tool"/.test(lastOf(body));

async function open({ app, workspace }: Stage, vendor: Vendor, options: { model: string; config?: string }) {
  const client = await app({ config: `${options.config ?? ""}\n${await vendor.config()}` });
  const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
  return { client, thread: await client.startThread({ cwd: workspace, modelProvider: "mock", model: options.model, ...free }) };
}

async function compacted(client: Client, thread: Thread): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const stop = client.on("turn/completed", ({ turn }) => ended.resolve(turn.status));
  await client.call("thread/compact/start", { threadId: thread.id });
  const status = await ended.promise;
  stop();
  return status;
}

for (const [wire, model] of wires)
  verifies("agent.compactPrefix", async (stage) => {
    await using vendor = new Vendor({ wire, think: (request, n) => (isCompaction(request) ? { text: handOver } : works(request, n)) });
    const { client, thread } = await open(stage, vendor, { model });
    for (const text of ["one", "two", "three"]) await thread.run(text);
    const before = vendor.requests.at(-1);
    assert.equal(await compacted(client, thread), "completed", wire);
    const after = vendor.requests.at(-1);
    assert.ok(before !== undefined && after !== undefined && isCompaction(after));
    assert.ok(sharedPrefix(before, after) >= 0.95, `${wire}: ${sharedPrefix(before, after)}`);
    assert.deepEqual((after.body as Body).tools, (before.body as Body).tools, wire);
    assert.deepEqual((after.body as Body).tool_choice, (before.body as Body).tool_choice, wire);
    assert.equal((await thread.run("four")).text, "done");
    assert.ok(JSON.stringify(vendor.requests.at(-1)?.body).includes("HAND-OVER"));
  });

for (const [wire, model] of wires)
  verifies("agent.compactCalls", async (stage) => {
    let asked = 0;
    const think = (request: SeenRequest, n: number): MockReply => {
      if (!isCompaction(request)) return works(request, n);
      return ++asked === 1 ? run(n) : { text: handOver };
    };
    await using vendor = new Vendor({ wire, think });
    const { client, thread } = await open(stage, vendor, { model });
    await thread.run("one");
    assert.equal(await compacted(client, thread), "completed", wire);
    const [first, second] = vendor.requests.filter(isCompaction).map(({ body }: { body: Body }) => body.tool_choice);
    const name = (choice: Body): unknown => choice?.type ?? choice;
    assert.deepEqual([name(first) ?? "auto", name(second)], ["auto", "none"], wire);
    assert.equal((await thread.run("two")).text, "done", wire);
  });

verifies("agent.compactRetries", async (stage) => {
  let failures = 0;
  await using vendor = new Vendor({
    wire: "responses",
    think(request, n) {
      if (!isCompaction(request)) return works(request, n);
      return failures++ < 2 ? { status: 500, message: "oops" } : { text: handOver };
    },
  });
  const { client, thread } = await open(stage, vendor, { model: "gpt-5.5" });
  await thread.run("one");
  assert.equal(await compacted(client, thread), "completed");
  assert.equal(vendor.requests.filter(isCompaction).length, 3);
});

verifies("agent.compactEmpty", async (stage) => {
  await using vendor = new Vendor({
    wire: "chat",
    think: (request, n) => (isCompaction(request) ? { text: " " } : works(request, n)),
  });
  const { client, thread } = await open(stage, vendor, { model: "qwen3-coder" });
  await thread.run("one");
  const before = vendor.requests.at(-1);
  assert.equal(await compacted(client, thread), "failed");
  assert.equal(vendor.requests.filter(isCompaction).length, 2, "it is asked once more");
  assert.equal((await thread.run("two")).text, "done");
  const after = vendor.requests.at(-1);
  assert.ok(before !== undefined && after !== undefined && sharedPrefix(before, after) === 1, "the history is as it was");
});

for (const [wire, model] of wires)
  verifies("agent.compactMidTurn", async (stage) => {
    let worked = 0;
    const think = (request: SeenRequest, n: number): MockReply => {
      if (isCompaction(request)) return { text: handOver };
      return ++worked <= 6 ? run(n) : { text: "done" };
    };
    await using vendor = new Vendor({ wire, think });
    const { thread } = await open(stage, vendor, { model, config: "model_auto_compact_token_limit = 9000" });
    assert.equal((await thread.run("please count")).text, "done");
    const compactions = vendor.requests.filter(isCompaction);
    assert.ok(compactions.length > 0, `${wire}: nothing was compacted`);
    for (const [i, request] of vendor.requests.entries()) {
      const before = vendor.requests[i - 1];
      if (before === undefined) continue;
      if (isCompaction(request)) assert.ok(sharedPrefix(before, request) >= 0.95, `${wire}: the prefix of request ${i}`);
      else assert.ok(!endsInUserText(request.body), `${wire}: request ${i} does not end in the result of the model's own call`);
    }
  });

verifies("agent.compactBeside", async (stage) => {
  const asked = Promise.withResolvers<void>();
  const ran = Promise.withResolvers<void>();
  await using vendor = new Vendor({
    wire: "chat",
    think: (request, n) => (isCompaction(request) ? { text: handOver } : works(request, n)),
    async before(request) {
      if (!isCompaction(request)) return;
      asked.resolve();
      await ran.promise;
    },
  });
  const { client, thread } = await open(stage, vendor, { model: "qwen3-coder" });
  await thread.run("one");
  client.on("item/completed", ({ item }) => item.type === "commandExecution" && item.source === "userShell" && ran.resolve());
  const done = compacted(client, thread);
  await asked.promise;
  await client.call("thread/shellCommand", { threadId: thread.id, command: "echo beside-the-compaction" });
  assert.equal(await done, "completed");
  await thread.run("two");
  const last = JSON.stringify(vendor.requests.at(-1)?.body);
  assert.ok(last.includes("beside-the-compaction") && last.includes("HAND-OVER"));
});
