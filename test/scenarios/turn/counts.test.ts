/** Counts that a model or a client controls: calls in an answer, messages for a running turn. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { startCallFloods } from "../../support/model-mocks/call-flood.ts";
import { verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const memory = { legs: ["memory"] as const };
const providerLines = (url: string): string =>
  `[model_providers.mock]\nname = "Mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n`;

verifies(
  "trust.manyCalls",
  async ({ app, workspace }) => {
    const runs = Array.from({ length: 419 }, (_, i) => ({ run: `touch f${i}` }));
    const client = await app({ turns: [[...runs, { expect: { user: "/291 more tool calls/" } }, { say: "understood" }]] });
    const warnings: string[] = [];
    client.on("warning", ({ message }) => warnings.push(message));
    let running = 0;
    let most = 0;
    client.on("item/started", ({ item }) => {
      if (item.type === "commandExecution") most = Math.max(most, ++running);
    });
    client.on("item/completed", ({ item }) => {
      if (item.type === "commandExecution") running--;
    });
    const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
    const { status } = await thread.run("go");
    assert.equal(status, "completed");
    assert.equal(readdirSync(workspace).length, 128);
    assert.ok(most <= 16, `${most} at once`);
    assert.match(warnings.join("\n"), /291 more tool calls of one answer were not carried out: at most 128 are/);
  },
  memory,
);

verifies(
  "trust.callFlood",
  async ({ wire, workspace }) => {
    await using provider = await startCallFloods([1000, 200_000]);
    const client = await wire({ config: providerLines(provider.url) });
    await client.initialize({ experimentalApi: true });
    const { result } = await client.ask("thread/start", { cwd: workspace, modelProvider: "mock", model: "mock-model" });
    const threadId: string = result.thread.id;
    await longestWait(client, threadId); // a server's first turn loads the modules that turns need
    await provider.asked();
    const longest = await longestWait(client, threadId);
    const sent = await provider.asked();
    assert.equal(sent.match(/"function_call_output"/g)?.length, 2 * 128, "the model is sent no more than it may have asked for");
    assert.match(sent, /199872 more tool calls of one answer were not carried out/);
    assert.ok(longest < 100, `others waited for ${Math.round(longest)} ms`);
  },
  memory,
);

/** Runs a turn, and returns the longest time, in CPU milliseconds, that another request had to wait meanwhile. */
async function longestWait(client: Wire, threadId: string): Promise<number> {
  const { result } = await client.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  const isEnd = (m: Message): boolean => m.method === "turn/completed" && m.params.turn.id === result.turn.id;
  const ended = client.until(isEnd, "the turn's end");
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const from = process.threadCpuUsage(); // CPU time of this thread only, so that other programs on a busy machine do not count
    await delay(1); // over the in-memory transport, a response alone never yields to socket I/O
    await client.ask("thread/loaded/list", {});
    const { user, system } = process.threadCpuUsage(from);
    longest = Math.max(longest, (user + system) / 1000);
  }
  assert.equal((await ended).params.turn.status, "completed");
  return longest;
}

verifies(
  "trust.manySteers",
  async ({ wire, workspace }) => {
    const client = await wire({ turns: [[{ run: "sleep 60" }, { say: "ok" }]] });
    await client.initialize({ experimentalApi: true });
    const { result } = await client.ask("thread/start", { cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
    const threadId = result.thread.id;
    const turnId = (await client.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] })).result.turn.id;
    await client.until((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
    const steer = (n: number) => client.ask("turn/steer", { threadId, expectedTurnId: turnId, input: [{ type: "text", text: `n${n}` }] });
    for (let n = 0; n < 100; n++) assert.equal((await steer(n)).error, undefined);
    assert.match((await steer(100)).error.message, /100 messages wait for this turn already/);
    await client.ask("turn/interrupt", { threadId, turnId });
    await client.notification("turn/completed");
  },
  memory,
);
