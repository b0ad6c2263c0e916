/** Hostile messages must not harm the server, the disk or the next request. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../support/verifies.ts";
import type { Message, Wire } from "../support/wire.ts";

const modelRequests = (wire: Wire): number => wire.received.filter((m) => m.method === "turn/started").length;
async function ready(stage: Stage, options: Parameters<Stage["wire"]>[0] = {}): Promise<{ wire: Wire; threadId: string }> {
  const wire = await stage.wire(options);
  await wire.initialize();
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace });
  return { wire, threadId: result.thread.id };
}
const storedLines = (home: string): string[] =>
  globSync("sessions/**/*.jsonl", { cwd: home }).flatMap((file) => readFileSync(path.join(home, file), "utf8").trimEnd().split("\n"));

verifies("trust.longInput", async (stage) => {
  const { wire, threadId } = await ready(stage);
  const answer = await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "x".repeat(20_000_000) }] });
  assert.match(answer.error.message, /maximum length/);
  assert.equal(modelRequests(wire), 0);
  assert.deepEqual(storedLines(stage.home), []);
});

verifies("trust.loneSurrogates", async (stage) => {
  const { wire, threadId } = await ready(stage, { turns: [[{ say: "{{user}}" }]] });
  wire.send('{"id":"m","method":"no/\\ud800such","params":{}}');
  assert.ok((await wire.until((m) => m.id === "m")).error);
  wire.send(
    `{"id":"t","method":"turn/start","params":{"threadId":"${threadId}","input":[{"type":"text","text":"a\\ud800b\\udfffc\\ud83d"}]}}`,
  );
  assert.ok((await wire.until((m) => m.id === "t")).result);
  assert.equal((await wire.notification("turn/completed")).params.turn.status, "completed");
  const lines = storedLines(stage.home);
  assert.ok(lines.length > 3);
  for (const line of lines) {
    JSON.parse(line);
    // JSON parsers in other languages reject a lone surrogate, escaped or not.
    assert.doesNotMatch(line, /\\ud[89a-f]/i);
    assert.ok(line.isWellFormed());
  }
  const { result } = await wire.ask("thread/read", { threadId, includeTurns: true });
  assert.equal(result.thread.turns.length, 1);
});

verifies("trust.duplicateKeys", async (stage) => {
  const { wire, threadId } = await ready(stage);
  const before = wire.received.length;
  wire.send('{"id":"d1","id":"d2","method":"thread/loaded/list","method":"no/such","params":{}}');
  wire.send(`{"id":"d3","method":"thread/name/set","params":{"threadId":"${threadId}","name":"one","name":"two"}}`);
  wire.send(`{"id":"d4","method":"thread/start","params":{"sandbox":"read-only","sandbox":"danger-full-access"}}`);
  const { result } = await wire.until((m) => m.id === "d4" && m.method === undefined);
  const answers = wire.received.slice(before).filter((m: Message) => m.method === undefined);
  assert.ok(answers.length <= 3);
  assert.ok(answers.filter((m: Message) => m.id === "d1" || m.id === "d2").length <= 1);
  // The checked value is the one used: the value in the response is the one in effect.
  const { result: read } = await wire.ask("thread/read", { threadId: result.thread.id });
  assert.ok(read.thread.id);
  const names = wire.received.filter((m) => m.method === "thread/name/updated").map((m) => m.params.threadName);
  if (names.length > 0) assert.deepEqual(names, ["two"]);
});

const hostileIds = ["../..", "../../auth.json", "/etc/passwd", "*", "%2e%2e", "a\u0000b", "", "..\\..", "auth.json", "x".repeat(10_000)];
const byThread = [
  "thread/resume",
  "thread/read",
  "thread/archive",
  "thread/unarchive",
  "thread/fork",
  "thread/delete",
  "thread/turns/list",
];

verifies("trust.hostileThreadIds", async (stage) => {
  const { wire } = await ready(stage);
  const secret = path.join(stage.home, "auth.json");
  writeFileSync(secret, '{"OPENAI_API_KEY":"sk-31337"}');
  for (const method of byThread)
    for (const threadId of hostileIds) {
      const answer = await wire.ask(method, { threadId, limit: 5 });
      assert.ok(answer.error, `${method} ${threadId.slice(0, 40)}`);
      assert.doesNotMatch(answer.error.message, /31337|root:/);
    }
  for (const file of ["/etc/passwd", secret, "../../etc/passwd", "/dev/zero", `${stage.home}/../x.jsonl`])
    for (const method of ["thread/resume", "thread/fork"]) {
      const answer = await wire.ask(method, { threadId: "", path: file });
      assert.ok(answer.error, `${method} ${file}`);
      assert.doesNotMatch(answer.error.message, /31337|root:x/);
    }
  assert.ok(existsSync(secret) && existsSync("/etc/passwd"));
});

verifies("trust.clientName", async (stage) => {
  const wire = await stage.wire();
  const refused = await wire.initialize(undefined, `evil\r\nx-injected: 1\n{"level":"error"}\u001b[31m${"n".repeat(1_000_000)}`);
  assert.equal(refused.error.code, -32600);
  const { result } = await wire.initialize(undefined, `evil\u2028x-injected: 1\u0085{"level":"error"}${"n".repeat(1_000_000)}`);
  assert.match(result.userAgent, /^[\x20-\x7e]+$/);
  assert.ok(result.userAgent.length < 1000, `${result.userAgent.length} characters`);
  const { result: started } = await wire.ask("thread/start", { cwd: stage.workspace });
  await wire.ask("turn/start", { threadId: started.thread.id, input: [{ type: "text", text: "go" }] });
  await wire.notification("turn/completed");
  for (const line of storedLines(stage.home)) assert.ok(!line.includes("x-injected: 1\\n") && line.length < 200_000);
});

verifies(
  "trust.clientTitle",
  async (stage) => {
    const turns = [[{ run: "touch x" }, { say: "done" }]];
    const { wire: other, threadId } = await ready(stage, { turns, config: 'approval_policy = "untrusted"' });
    const wire = await stage.wire();
    const evil = `Editor\r\n{"level":"error"}\u001b]0;x\u0007\u202e${"t".repeat(1_000_000)}`;
    await wire.ask("initialize", { clientInfo: { name: evil.replace(/[\r\n\u0007\u001b]/g, "\u0085"), title: evil, version: evil } });
    await wire.ask("thread/resume", { threadId });
    await other.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
    const asked = await wire.request("item/commandExecution/requestApproval");
    wire.send({ id: asked.id, result: { decision: "accept" } });
    const { params } = await other.notification("serverRequest/resolved");
    assert.match(params.answeredBy, /^Editor \{"level":"error"\}\]0;xt+…$/, "people see a line of visible text");
    assert.ok(params.answeredBy.length <= 101);
    await other.notification("turn/completed");
    const audit = globSync("parley/audit/*.jsonl", { cwd: stage.home }).map((file) => readFileSync(path.join(stage.home, file), "utf8"));
    for (const line of audit.join("").trim().split("\n")) assert.match(JSON.parse(line).by ?? "x", /^[\x20-\x7e]{1,100}$/);
  },
  { legs: ["memory", "websocket", "unix"] },
);

verifies("trust.hugeAnswer", async (stage) => {
  const turns = [[{ run: `touch ${stage.workspace}/ran` }, { say: "done" }]];
  const { wire, threadId } = await ready(stage, { turns, config: 'approval_policy = "untrusted"' });
  await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  const asked = await wire.until((m) => m.method === "item/commandExecution/requestApproval");
  wire.send({ id: asked.id, result: { decision: "accept ".repeat(1_500_000) } });
  const { params } = await wire.notification("turn/completed");
  assert.equal(params.turn.status, "completed");
  assert.ok(!existsSync(path.join(stage.workspace, "ran")));
  const item = wire.received.find((m) => m.method === "item/completed" && m.params.item.type === "commandExecution").params.item;
  assert.equal(item.status, "failed");
});
