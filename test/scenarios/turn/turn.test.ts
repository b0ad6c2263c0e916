/** The life of a turn: steering, interrupting, failing, retrying. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RpcError, TurnFailed } from "../../../src/client/client.ts";
import type { ThreadItem } from "../../../src/protocol/item.ts";
import { verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

const refused =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof RpcError && error.code === -32600 && pattern.test(error.message);

/** A command that runs until the test has written this file. */
const untilGo = { run: "while [ ! -f go ]; do sleep 0.05; done" };
const letGo = (workspace: string): void => writeFileSync(path.join(workspace, "go"), "");

verifies("turn.steer", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ say: "working" }, untilGo, { expect: { user: "and the tests" } }, { say: "both done" }]],
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const began = Promise.withResolvers<string>();
  client.on("item/agentMessage/delta", (p) => began.resolve(p.turnId));
  const running = thread.run("change the code");
  const turnId = await began.promise;
  await assert.rejects(
    client.call("turn/steer", { threadId: thread.id, expectedTurnId: "other", input: [{ type: "text", text: "x" }] }),
    refused(/expected active turn id/),
  );
  const steered = await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "and the tests" }] });
  assert.equal(steered.turn.id, turnId, "a turn/start meanwhile is a steer of the running turn");
  letGo(workspace);
  const run = await running;
  assert.equal(run.text, "both done");
  assert.deepEqual(run.items.filter((item) => item.type === "userMessage").length, 2);
  await assert.rejects(
    client.call("turn/steer", { threadId: thread.id, expectedTurnId: turnId, input: [{ type: "text", text: "x" }] }),
    refused(/no active turn to steer/),
  );
});

verifies("turn.inputLimit", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ say: "read" }]] });
  const thread = await client.startThread({ cwd: workspace });
  assert.equal((await thread.run("😀".repeat(600_000))).text, "read");
  const tooLong = [{ type: "text" as const, text: "😀".repeat(1_048_577) }];
  await assert.rejects(
    client.call("turn/start", { threadId: thread.id, input: tooLong }),
    (error: unknown) => error instanceof RpcError && error.code === -32602 && /maximum length of 1048576 characters/.test(error.message),
  );
});

verifies("turn.sameMessageOnce", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ say: "working" }, untilGo, { say: "done" }]] });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const began = Promise.withResolvers<string>();
  client.on("item/agentMessage/delta", (p) => began.resolve(p.turnId));
  const running = thread.run("change the code");
  const turnId = await began.promise;
  const again = { threadId: thread.id, input: [{ type: "text" as const, text: "and the tests" }], clientUserMessageId: "m-1" };
  await client.call("turn/steer", { ...again, expectedTurnId: turnId });
  await client.call("turn/steer", { ...again, expectedTurnId: turnId });
  await client.call("turn/start", again);
  letGo(workspace);
  const messages = (await running).items.filter((item) => item.type === "userMessage");
  assert.deepEqual(
    messages.map((item) => item.clientId),
    [null, "m-1"],
  );
});

verifies("turn.interrupt", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [{ pace: 50 }, { say: "one two three four ".repeat(100) }],
      [{ expect: { user: "again" } }, { say: "fresh" }],
    ],
  });
  const thread = await client.startThread({ cwd: workspace });
  await assert.rejects(client.call("turn/interrupt", { threadId: thread.id, turnId: "x" }), refused(/no active turn to interrupt/));
  const stop = new AbortController();
  client.on("item/agentMessage/delta", () => stop.abort());
  const run = await thread.run("talk", { signal: stop.signal });
  assert.equal(run.status, "interrupted");
  const message = run.items.find((item) => item.type === "agentMessage");
  assert.ok(message?.type === "agentMessage" && message.text.length > 0, "what was said before the interrupt is kept");
  assert.equal((await thread.run("again")).text, "fresh");
});

verifies("turn.empty", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ say: "never said" }]], capabilities: { experimentalApi: true } });
  const thread = await client.startThread({ cwd: workspace });
  const run = await thread.run([]);
  assert.deepEqual([run.status, run.items], ["completed", []]);
});

verifies("turn.retry", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ fail: { kind: "internalServerError", message: "busy", retry: { after: 1 } } }, { say: "second try" }]],
  });
  const thread = await client.startThread({ cwd: workspace });
  const notices: boolean[] = [];
  client.on("error", (p) => notices.push(p.willRetry));
  assert.equal((await thread.run("go")).text, "second try");
  assert.deepEqual(notices, [true]);
});

verifies("turn.retryMidMessage", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ disconnect: "half a se" }, { say: "whole" }]] });
  const thread = await client.startThread({ cwd: workspace });
  const events: string[] = [];
  client.on("error", (p) => events.push(p.willRetry ? "retry" : "failed"));
  client.on("item/started", (p) => p.item.type === "agentMessage" && events.push("started"));
  client.on("item/completed", (p) => p.item.type === "agentMessage" && events.push(`completed ${p.item.text}`));
  const run = await thread.run("go");
  assert.deepEqual(events, ["started", "retry", "completed half a se", "started", "completed whole"]);
  assert.equal(run.text, "whole");
  const read = await client.call("thread/read", { threadId: thread.id, includeTurns: true });
  const replies = read.thread.turns.flatMap(({ items }) => items.flatMap((item) => (item.type === "agentMessage" ? [item.text] : [])));
  assert.deepEqual(replies, ["whole"], "what broke off is kept nowhere");
});

verifies("turn.failed", async ({ app, workspace }) => {
  const kinds = ["contextWindowExceeded", "usageLimitExceeded", "badRequest", "unauthorized", "internalServerError", "other"];
  const client = await app({ turns: kinds.map((kind) => [{ fail: { kind, message: `said ${kind}` } }]) });
  const thread = await client.startThread({ cwd: workspace });
  for (const kind of kinds) {
    const error = await thread.run("go").then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof TurnFailed);
    assert.deepEqual([error.details?.codexErrorInfo, error.details?.message.includes(`said ${kind}`)], [kind, true]);
  }
});

verifies("turn.tooManyAttempts", async ({ app, workspace }) => {
  const provider = (name: string, retries: number) =>
    `[model_providers.${name}]\nname = "${name}"\nwire_api = "scripted"\nrequest_max_retries = ${retries}\nstream_max_retries = 0\noptions = { scenario = "scenario.json" }\n`;
  const failing = (kind: string, status: number) => ({ fail: { kind, status, message: `status ${status}`, retry: { after: 1 } } });
  const twice = (kind: string, status: number) => [failing(kind, status), failing(kind, status)];
  const client = await app({
    turns: [twice("other", 429), twice("internalServerError", 500), twice("internalServerError", 503)],
    config: provider("once", 0) + provider("twice", 1),
  });
  const infos: unknown[] = [];
  client.on("error", (p) => p.willRetry || infos.push(p.error.codexErrorInfo));
  for (const modelProvider of ["once", "twice"]) {
    const thread = await client.startThread({ cwd: workspace, modelProvider });
    for (let i = 0; i < 3; i++) await assert.rejects(thread.run("go"), TurnFailed);
  }
  const spent = (httpStatusCode: number) => ({ responseTooManyFailedAttempts: { httpStatusCode } });
  const failed = { httpConnectionFailed: { httpStatusCode: 503 } };
  assert.deepEqual(infos, [spent(429), "internalServerError", failed, spent(429), "internalServerError", failed]);
});

verifies("turn.parallelTools", async ({ app, workspace }) => {
  // Each waits until the other has started.
  const meets = (own: string, other: string) => ({ run: `touch ${own}; while [ ! -f ${other} ]; do sleep 0.05; done; echo ${own}` });
  const client = await app({ turns: [[meets("a", "b"), meets("b", "a"), { say: "done" }]] });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const order: string[] = [];
  client.on("item/started", (p) => p.item.type === "commandExecution" && order.push("started"));
  client.on("item/completed", (p) => p.item.type === "commandExecution" && order.push("completed"));
  await thread.run("both");
  assert.deepEqual(order, ["started", "started", "completed", "completed"]);
});

verifies("turn.compact", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ say: "first" }], [{ say: "HAND-OVER" }], [{ expect: { user: "go on" } }, { say: "after" }]] });
  const thread = await client.startThread({ cwd: workspace });
  await thread.run("begin");
  const ended = Promise.withResolvers<void>();
  const items: string[] = [];
  const stop = client.on("turn/completed", () => ended.resolve());
  client.on("item/completed", (p) => items.push(p.item.type));
  await client.call("thread/compact/start", { threadId: thread.id });
  await ended.promise;
  stop();
  assert.deepEqual(items, ["contextCompaction"]);
  assert.equal((await thread.run("go on")).text, "after");
});

verifies("turn.compactBetweenCalls", async ({ app, workspace }) => {
  const steps = [{ usage: { input: 9000, output: 10, total: 9010 } }, { plan: ["look"] }, { say: "HAND-OVER" }];
  const client = await app({ turns: [{ steps }], config: "model_auto_compact_token_limit = 5000" });
  const items: string[] = [];
  client.on("item/completed", (p) => items.push(p.item.type));
  const thread = await client.startThread({ cwd: workspace });
  assert.notEqual((await thread.run("begin")).text, "HAND-OVER", "the hand-over is not the answer");
  assert.deepEqual(items, ["userMessage", "contextCompaction", "agentMessage"]);
});

verifies("turn.compactResumed", async ({ app, workspace, restart }) => {
  const first = [{ usage: { input: 9000, output: 10, total: 9010 } }, { say: "first" }];
  const turns = [first, [{ say: "HAND-OVER" }], [{ expect: { user: "go on" } }, { say: "after" }]];
  const thread = await (await app({ turns, config: "model_auto_compact_token_limit = 5000" })).startThread({ cwd: workspace });
  await thread.run("begin");
  await restart();
  const client = await app();
  const items: string[] = [];
  client.on("item/completed", (p) => items.push(p.item.type));
  await (await client.resumeThread(thread.id)).run("go on");
  assert.deepEqual(items, ["userMessage", "contextCompaction", "agentMessage"]);
});

verifies("turn.webSearch", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ search: "node" }, { say: "found" }]] });
  const actions: unknown[] = [];
  const note = ({ item }: { item: ThreadItem }): void => void (item.type === "webSearch" && actions.push(item.action?.type));
  client.on("item/started", note);
  client.on("item/completed", note);
  await (await client.startThread({ cwd: workspace })).run("look");
  assert.deepEqual(actions, ["other", "search"]);
});

verifies("turn.steerStored", async (stage) => {
  const wire = await stage.wire({
    turns: [
      [{ say: "working" }, { run: "sleep 60" }, { say: "never" }],
      [{ expect: { user: "next" } }, { say: "ok" }],
    ],
  });
  await wire.initialize();
  const params = { cwd: stage.workspace, approvalPolicy: "never", sandbox: "danger-full-access" };
  const { thread } = (await wire.ask("thread/start", params)).result;
  const inputOf = (text: string) => ({ threadId: thread.id, input: [{ type: "text", text }] });
  const { turn } = (await wire.ask("turn/start", inputOf("go"))).result;
  await wire.until((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
  const missing: string[] = [];
  const { onMessage } = wire.transport;
  let expected = "";
  wire.transport.onMessage = (text) => {
    if ("id" in JSON.parse(text) && !readFileSync(thread.path, "utf8").includes(expected)) missing.push(expected);
    onMessage(text);
  };
  expected = "by steer";
  await wire.ask("turn/steer", { ...inputOf(expected), expectedTurnId: turn.id });
  expected = "by start";
  assert.equal((await wire.ask("turn/start", inputOf(expected))).result.turn.id, turn.id);
  assert.deepEqual(missing, []);
  await wire.ask("turn/interrupt", { threadId: thread.id, turnId: turn.id });
  await wire.notification("turn/completed");
  const { turns } = (await wire.ask("thread/read", { threadId: thread.id, includeTurns: true })).result.thread;
  const texts = turns[0].items.flatMap((item: Message) => (item.type === "userMessage" ? [item.content[0].text] : []));
  assert.deepEqual(texts, ["go", "by steer", "by start"]);
  assert.deepEqual(
    (await wire.ask("turn/steer", { ...inputOf("late"), expectedTurnId: turn.id })).error.message,
    "no active turn to steer",
  );
});
