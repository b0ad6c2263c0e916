/** A question outlives its process: kill -9 while it waits, and the next server puts it again; what had begun is never begun twice. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { eventually, LiveServer, verifiesLive } from "../support/live-server.ts";
import { home, stage } from "../support/live-stage.ts";
import type { Message } from "../support/wire.ts";

const asking = (folder: string) => ({
  cwd: path.join(folder, "workspace"),
  sandbox: "danger-full-access",
  approvalPolicy: "untrusted",
});
const approval = "item/commandExecution/requestApproval";
const question = (server: LiveServer, method: string, itemId?: string): Promise<Message> =>
  server.waitFor((m) => m.method === method && m.id !== undefined && (itemId === undefined || m.params.itemId === itemId), method);
const inWorkspace = (folder: string, name: string): string => path.join(folder, "workspace", name);
const linesOf = (file: string): string[] => readFileSync(file, "utf8").trimEnd().split("\n");
const openLogs = (folder: string): string[] => {
  const logs = path.join(home(folder), "parley", "questions");
  return existsSync(logs) ? readdirSync(logs) : [];
};

/** Starts a turn on a new thread, waits for its question and kills the server. */
async function killedWhileAsking(t: TestContext, folder: string, method: string, thread: object = {}): Promise<Killed> {
  const server = await LiveServer.start(t, folder);
  const threadId = await server.startThread({ ...asking(folder), ...thread });
  const turnId = await server.startTurn(threadId, "go");
  const asked = await question(server, method);
  await server.kill();
  return { threadId, turnId, asked };
}
interface Killed {
  readonly threadId: string;
  readonly turnId: string;
  readonly asked: Message;
}

/** Opens the thread on a new server; the turn must still be running. */
async function reopened(t: TestContext, folder: string, { threadId, turnId }: Killed): Promise<{ server: LiveServer; turn: Message }> {
  const server = await LiveServer.start(t, folder);
  const { thread } = await server.call("thread/resume", { threadId });
  const turn = thread.turns.at(-1);
  assert.equal(turn.id, turnId);
  assert.equal(turn.status, "inProgress");
  assert.equal(thread.status.type, "active");
  return { server, turn };
}

/** A new scripted model begins a turn anew, so it gets only the steps that come after the open calls. */
const remaining = (folder: string, steps: readonly unknown[], ...turns: readonly unknown[]): void =>
  writeFileSync(path.join(home(folder), "scenario.json"), JSON.stringify({ turns: [steps, ...turns] }));

const settledParams = ({ params }: Message): object => ({ ...params, startedAtMs: 0 });

verifiesLive("question.outlives", async (t) => {
  const folder = stage(t, [[{ say: "first" }, { run: "echo x >> ran" }, { say: "Output: {{output}}" }]]);
  const killed = await killedWhileAsking(t, folder, approval);
  for (let kill = 0; kill < 2; kill++) {
    const { server, turn } = await reopened(t, folder, killed);
    assert.deepEqual(
      turn.items.map((item: Message) => [item.type, item.status]),
      [
        ["userMessage", undefined],
        ["agentMessage", undefined],
        ["commandExecution", "inProgress"],
      ],
    );
    const again = await question(server, approval);
    assert.deepEqual(settledParams(again), settledParams(killed.asked));
    await server.kill();
  }
  remaining(folder, [{ say: "Output: {{output}}" }]);
  const { server } = await reopened(t, folder, killed);
  const again = await question(server, approval);
  server.send({ id: again.id, result: { decision: "accept" } });
  const resolved = await server.waitFor((m) => m.method === "serverRequest/resolved", "serverRequest/resolved");
  assert.equal(resolved.params.requestId, again.id);
  assert.equal((await server.turnEnd(killed.turnId)).status, "completed");
  assert.deepEqual(linesOf(inWorkspace(folder, "ran")), ["x"]);
  const { thread } = await server.call("thread/read", { threadId: killed.threadId, includeTurns: true });
  assert.deepEqual(
    thread.turns[0].items.map((item: Message) => [item.type, item.status ?? item.text]),
    [
      ["userMessage", undefined],
      ["agentMessage", "first"],
      ["commandExecution", "completed"],
      ["agentMessage", thread.turns[0].items.at(-1).text],
    ],
  );
  assert.match(thread.turns[0].items.at(-1).text, /^Output: .*exited with code 0/s);
  assert.equal(
    server.messages.filter((m) => m.method === "turn/started" || m.method === "item/started").length,
    1,
    "only the last message starts",
  );
  assert.deepEqual(openLogs(folder), []);
  const audit = readdirSync(path.join(home(folder), "parley", "audit")).flatMap((name) =>
    linesOf(path.join(home(folder), "parley", "audit", name)).map((line) => JSON.parse(line)),
  );
  assert.deepEqual(
    audit.map(({ event, decision, outcome }) => [event, decision ?? outcome]),
    [
      ["requested", undefined],
      ["decided", "accept"],
      ["ended", "exit code 0"],
    ],
  );
});

verifiesLive("question.declined", async (t) => {
  const folder = stage(t, [[{ run: "touch ran" }, { say: "Output: {{output}}" }]]);
  const killed = await killedWhileAsking(t, folder, approval);
  remaining(folder, [{ say: "Output: {{output}}" }]);
  const { server } = await reopened(t, folder, killed);
  server.send({ id: (await question(server, approval)).id, result: { decision: "decline" } });
  assert.equal((await server.turnEnd(killed.turnId)).status, "completed");
  const { thread } = await server.call("thread/read", { threadId: killed.threadId, includeTurns: true });
  const [, command, message] = thread.turns[0].items;
  assert.equal(command.status, "declined");
  assert.match(message.text, /rejected by user/);
  assert.ok(!existsSync(inWorkspace(folder, "ran")));
});

verifiesLive("question.begunOnce", async (t) => {
  const folder = stage(t, [
    [{ run: "echo x >> ran; sleep 600" }],
    [{ expect: { output: "/outcome|unknown/" } }, { say: "Output: {{output}}" }],
  ]);
  const killed = await killedWhileAsking(t, folder, approval);
  const { server } = await reopened(t, folder, killed);
  server.send({ id: (await question(server, approval)).id, result: { decision: "accept" } });
  await eventually(() => existsSync(inWorkspace(folder, "ran")), "the command's first effect");
  await server.kill();
  const next = await LiveServer.start(t, folder);
  const { thread } = await next.call("thread/resume", { threadId: killed.threadId });
  assert.equal(thread.turns[0].status, "interrupted");
  const command = thread.turns[0].items.find((item: Message) => item.type === "commandExecution");
  assert.equal(command.status, "failed");
  assert.match(command.aggregatedOutput, /is unknown/);
  assert.equal((await next.turn(killed.threadId, "and?")).status, "completed");
  const { turns } = (await next.call("thread/read", { threadId: killed.threadId, includeTurns: true })).thread;
  assert.match(turns[1].items.at(-1).text, /took effect is unknown/);
  assert.deepEqual(linesOf(inWorkspace(folder, "ran")), ["x"]);
  assert.deepEqual(openLogs(folder), []);
});

verifiesLive("question.parallel", async (t) => {
  const folder = stage(t, [[{ run: "echo a >> ran" }, { run: "echo b >> ran" }, { say: "done" }]]);
  const server = await LiveServer.start(t, folder);
  const threadId = await server.startThread(asking(folder));
  const turnId = await server.startTurn(threadId, "go");
  const isQuestion = (m: Message): boolean => m.method === approval;
  await server.until(() => server.messages.filter(isQuestion).length === 2 || undefined, "two questions");
  const ids = server.messages.filter(isQuestion).map((m) => m.params.itemId);
  await server.kill();
  const { server: next, turn } = await reopened(t, folder, { threadId, turnId, asked: undefined });
  assert.deepEqual(
    turn.items.slice(1).map((item: Message) => item.id),
    ids,
  );
  await next.until(() => next.messages.filter(isQuestion).length === 2 || undefined, "both questions again");
  const [first, second] = ids.map((id) => next.messages.find((m: Message) => isQuestion(m) && m.params.itemId === id));
  next.send({ id: first.id, result: { decision: "accept" } });
  await next.waitFor((m) => m.method === "item/completed" && m.params.item.id === first.params.itemId, "the first command's end");
  await next.kill();
  remaining(folder, [{ say: "done" }]);
  const { server: last } = await reopened(t, folder, { threadId, turnId, asked: undefined });
  const open = await question(last, approval);
  assert.equal(open.params.itemId, second.params.itemId);
  last.send({ id: open.id, result: { decision: "accept" } });
  assert.equal((await last.turnEnd(turnId)).status, "completed");
  assert.deepEqual(linesOf(inWorkspace(folder, "ran")), ["a", "b"]);
  assert.equal(last.messages.filter(isQuestion).length, 1);
});

verifiesLive("question.begunEdit", async (t) => {
  const many = 400;
  const files = Array.from({ length: many }, (_, i) => `*** Add File: f${i}\n+x`);
  const folder = stage(t, [[{ patch: `*** Begin Patch\n${files.join("\n")}\n*** End Patch` }], [{ say: "Output: {{output}}" }]]);
  const server = await LiveServer.start(t, folder);
  const threadId = await server.startThread(asking(folder));
  const turnId = await server.startTurn(threadId, "go");
  const asked = await question(server, "item/fileChange/requestApproval");
  const begun = once(watch(path.join(folder, "workspace")).unref(), "change");
  server.send({ id: asked.id, result: { decision: "accept" } });
  await begun;
  await server.kill();
  // A draft that the kill left behind is no file of the edit.
  const added = (): number => readdirSync(path.join(folder, "workspace")).filter((name) => /^f\d+$/.test(name)).length;
  const made = added();
  assert.ok(made < many, "it was killed in the middle");
  const next = await LiveServer.start(t, folder);
  const { thread } = await next.call("thread/resume", { threadId });
  assert.equal(thread.turns[0].status, "interrupted");
  assert.equal(thread.turns[0].items.at(-1).type, "fileChange");
  assert.equal(thread.turns[0].items.at(-1).status, "failed");
  assert.equal((await next.turn(threadId, "and?")).status, "completed");
  const { turns } = (await next.call("thread/read", { threadId, includeTurns: true })).thread;
  assert.match(turns[1].items.at(-1).text, /took effect is unknown/);
  assert.equal(added(), made, "the edit was not begun again");
  const { conflicts } = await next.call("turn/revert", { threadId, turnId });
  assert.deepEqual(conflicts, []);
  assert.equal(added(), 0);
});

verifiesLive("question.movedOn", async (t) => {
  const folder = stage(t, [[{ run: "touch ran" }], { user: "/next/", steps: [{ say: "all well" }] }]);
  const killed = await killedWhileAsking(t, folder, approval);
  const { server } = await reopened(t, folder, killed);
  const again = await question(server, approval);
  const next = await server.turn(killed.threadId, "next");
  assert.equal(next.status, "completed");
  assert.notEqual(next.id, killed.turnId);
  assert.equal((await server.turnEnd(killed.turnId)).status, "interrupted");
  await server.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === again.id, "the end of the question");
  assert.ok(!existsSync(inWorkspace(folder, "ran")));
});
