/** Numbers that a model or a client chooses: calls in an answer, messages for a running turn. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";

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
    const calls = Array.from({ length: 20_000 }, (_, i) => ({ id: `c${i}`, name: "no_such_tool", args: "{}" }));
    const answers = [stream(responsesFrames({ calls })), stream(responsesFrames({ text: "ok" }))];
    await using provider = new MockProvider(...answers);
    const client = await wire({ config: providerLines(await provider.listen()) });
    await client.initialize({ experimentalApi: true });
    const { result } = await client.ask("thread/start", { cwd: workspace, modelProvider: "mock", model: "mock-model" });
    await client.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
    const ended = client.notification("turn/completed");
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    let longest = 0;
    while (!isOver) {
      const from = performance.now() + 20;
      await delay(20); // over memory an answer alone never lets the sockets have their turn
      await client.ask("thread/loaded/list", {});
      longest = Math.max(longest, performance.now() - from);
    }
    assert.equal((await ended).params.turn.status, "completed");
    const sent = JSON.stringify(provider.requests.at(-1)?.body);
    assert.equal(sent.match(/"function_call_output"/g)?.length, 128, "the model is sent no more than it may have asked for");
    assert.ok(longest < 2000, `others waited for ${Math.round(longest)} ms`);
  },
  memory,
);

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
