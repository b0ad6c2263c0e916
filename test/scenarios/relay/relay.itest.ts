/** Several processes on one home: whoever opens a thread follows and steers it live, whichever process runs it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { LiveServer, verifiesLive } from "../../support/live-server.ts";
import { home, settings, stage, textsOf } from "../../support/live-stage.ts";
import { launcher } from "../../support/process.ts";
import type { Message } from "../../support/wire.ts";

const asking = [
  { user: "/ask/", steps: [{ run: "touch asked" }, { say: "Touched." }] },
  { user: "/long/", steps: [{ say: "begun" }, { run: "sleep 600" }, { say: "never" }] },
  { user: "/./", steps: [{ say: "You said {{user}}.", deltas: 5 }] },
];
const methodsOf = (server: LiveServer, threadId: string): string[] =>
  server.messages.filter(({ params }) => params?.threadId === threadId).map(({ method }) => method);

verifiesLive("live.followed", async (t) => {
  const folder = stage(t, asking);
  const [one, two] = await Promise.all([LiveServer.start(t, folder), LiveServer.start(t, folder)]);
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "hello");
  const { thread } = await two.call("thread/resume", { threadId });
  assert.deepEqual([textsOf(thread.turns), thread.status.type], [["hello"], "idle"]);
  // Each starts a turn, and both see it to its end, event for event.
  for (const [starter, text] of [
    [one, "by one"],
    [two, "by two"],
  ] as const) {
    const [seenByOne, seenByTwo] = [one.messages.length, two.messages.length];
    const turnId = await starter.startTurn(threadId, text);
    for (const server of [one, two]) assert.equal((await server.turnEnd(turnId)).status, "completed");
    const eventsOf = (messages: readonly Message[]): Message[] => messages.filter(({ params }) => params?.threadId === threadId);
    assert.deepEqual(eventsOf(two.messages.slice(seenByTwo)), eventsOf(one.messages.slice(seenByOne)));
  }
  // A process that left the thread hears no more of it.
  assert.deepEqual(await two.call("thread/unsubscribe", { threadId }), { status: "unsubscribed" });
  const before = methodsOf(two, threadId).length;
  await one.turn(threadId, "alone");
  await two.call("config/read");
  assert.equal(methodsOf(two, threadId).length, before);
  const [socket = ""] = readdirSync(path.join(home(folder), "parley", "live"));
  const modes = ["", socket].map((name) => statSync(path.join(home(folder), "parley", "live", name)).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600]);
});

verifiesLive("live.answered", async (t) => {
  const folder = stage(t, asking);
  const [one, two] = await Promise.all([LiveServer.start(t, folder), LiveServer.start(t, folder)]);
  const params = { ...settings(folder), sandbox: "read-only", approvalPolicy: "on-request" };
  const threadId = await one.startThread({ ...params, approvalPolicy: "untrusted" });
  const isQuestion = ({ method }: Message): boolean => method === "item/commandExecution/requestApproval";
  const turnId = await one.startTurn(threadId, "ask");
  const asked = await one.waitFor(isQuestion, "the question");
  // A client that comes late gets the open question too, and its answer is the first.
  await two.call("thread/resume", { threadId });
  const question = await two.waitFor(isQuestion, "the question, in the other process");
  assert.deepEqual(question.params, asked.params);
  two.send({ id: question.id, result: { decision: "decline" } });
  const resolvedBy = async (server: LiveServer, requestId: unknown): Promise<Message> =>
    (await server.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === requestId, "the end of it")).params;
  assert.equal((await resolvedBy(one, asked.id)).answeredBy, "faults");
  await resolvedBy(two, question.id);
  for (const server of [one, two]) assert.equal((await server.turnEnd(turnId)).status, "completed");
  // It interrupts what the other process runs.
  const long = await one.startTurn(threadId, "long");
  await two.waitFor((m) => m.method === "item/started" && m.params.turnId === long && m.params.item.type === "agentMessage", "its start");
  await two.call("turn/interrupt", { threadId, turnId: long });
  for (const server of [one, two]) assert.equal((await server.turnEnd(long)).status, "interrupted");
});

verifiesLive("live.exec", async (t) => {
  const folder = stage(t, [
    { user: "/script/", steps: [{ say: "for the script" }] },
    { user: "/choose/", steps: [{ ask: "Which one?", options: ["this", "that"] }, { say: "Chosen." }] },
    { user: "/./", steps: [{ say: "hello" }] },
  ]);
  const one = await LiveServer.start(t, folder);
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "first");
  const env = { ...process.env, CODEX_HOME: home(folder), HOME: folder };
  const args = ["exec", "--skip-git-repo-check", "resume", threadId, "from a script"];
  const { stdout } = await promisify(execFile)(launcher, args, { env, cwd: path.join(folder, "workspace") });
  assert.equal(stdout.trim(), "for the script");
  await one.waitFor((m) => m.method === "item/completed" && m.params.item.text === "for the script", "the script's turn");
  // The script is gone, and the person can still be asked.
  const turnId = await one.startTurn(threadId, "choose");
  const question = await one.waitFor((m) => m.method === "item/tool/requestUserInput", "the question");
  const [{ id }] = question.params.questions;
  one.send({ id: question.id, result: { answers: { [id]: { answers: ["this"] } } } });
  assert.equal((await one.turnEnd(turnId)).status, "completed");
});

verifiesLive("live.stopped", async (t) => {
  const folder = stage(t, asking);
  const [one, two] = await Promise.all([LiveServer.start(t, folder), LiveServer.start(t, folder)]);
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "hello");
  const three = await LiveServer.start(t, folder);
  await three.call("thread/resume", { threadId });
  const long = await three.startTurn(threadId, "long");
  await three.waitFor((m) => m.method === "item/started" && m.params.item.type === "agentMessage", "the turn's text");
  one.child.kill("SIGSTOP");
  const warned = (server: LiveServer, what: RegExp): Promise<Message> =>
    server.waitFor((m) => m.method === "warning" && m.params.threadId === threadId && what.test(m.params.message), String(what));
  // Who opens it now reads it; who followed it is told, reads on, and is refused what only that process may do.
  const [{ thread }] = await Promise.all([two.call("thread/resume", { threadId }), warned(three, /does not answer/)]);
  assert.deepEqual(textsOf(thread.turns), ["hello", "long"]);
  await warned(two, /open in another process/);
  assert.equal((await three.call("thread/read", { threadId, includeTurns: true })).thread.turns.length, 2);
  const refused = await three.ask("turn/start", { threadId, input: [{ type: "text", text: "x" }] });
  assert.match(refused.error.message, /does not answer: it is stopped or stuck. turn\/start was not sent/);
  one.child.kill("SIGCONT");
  // It goes on, and with it all that follow it, also those that could only read.
  for (const server of [two, three]) await warned(server, /answers again/);
  await two.call("turn/interrupt", { threadId, turnId: long });
  for (const server of [one, two, three]) assert.equal((await server.turnEnd(long)).status, "interrupted");
  const turnId = await two.startTurn(threadId, "again");
  for (const server of [one, two, three]) assert.equal((await server.turnEnd(turnId)).status, "completed");
  // One that is stopped and then killed gives the thread up at once.
  one.child.kill("SIGSTOP");
  await one.kill();
  for (const server of [two, three]) await warned(server, /Another one continues it/);
  const last = await three.startTurn(threadId, "last");
  for (const server of [two, three]) assert.equal((await server.turnEnd(last)).status, "completed");
});

verifiesLive("live.openedAtOnce", async (t) => {
  const folder = stage(t, asking);
  const first = await LiveServer.start(t, folder);
  const threadId = await first.startThread(settings(folder));
  await first.turn(threadId, "hello");
  await first.stop();
  const servers = await Promise.all(Array.from({ length: 6 }, () => LiveServer.start(t, folder)));
  // All of them open it in the same moment: one runs it, the others follow that one, and none is left with a copy.
  await Promise.all(servers.map((server) => server.call("thread/resume", { threadId })));
  for (const [at, starter] of servers.entries()) {
    const turnId = await starter.startTurn(threadId, `by ${at}`);
    for (const server of servers) assert.equal((await server.turnEnd(turnId)).status, "completed");
  }
  assert.ok(!servers.some((server) => server.messages.some((m) => m.method === "warning" && /open in another/.test(m.params.message))));
});

verifiesLive("live.takenOver", async (t) => {
  const folder = stage(t, asking);
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => LiveServer.start(t, folder)));
  assert.ok(one && two && three);
  const both: readonly LiveServer[] = [two, three];
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "hello");
  for (const server of both) await server.call("thread/resume", { threadId });
  const long = await two.startTurn(threadId, "long");
  await three.waitFor(
    (m) => m.method === "item/completed" && m.params.turnId === long && m.params.item.type === "agentMessage",
    "its text",
  );
  await one.kill();
  for (const server of both) {
    assert.equal((await server.turnEnd(long)).status, "interrupted");
    await server.waitFor((m) => m.method === "warning" && /has ended. Another one continues it/.test(m.params.message), "the word on it");
  }
  // Whichever of them has it now, both go on with it.
  for (const [starter, text] of [
    [two, "by two"],
    [three, "by three"],
  ] as const) {
    const turnId: string = await starter.startTurn(threadId, text);
    for (const server of both) assert.equal((await server.turnEnd(turnId)).status, "completed");
  }
  const { thread } = await three.call("thread/read", { threadId, includeTurns: true });
  assert.deepEqual(textsOf(thread.turns), ["hello", "long", "by two", "by three"]);
});

verifiesLive("live.questionMoves", async (t) => {
  const folder = stage(t, [[{ run: "touch asked" }, { say: "Touched." }]]);
  const [one, two] = await Promise.all([LiveServer.start(t, folder), LiveServer.start(t, folder)]);
  const threadId = await one.startThread({ ...settings(folder), approvalPolicy: "untrusted" });
  const isQuestion = ({ method }: Message): boolean => method === "item/commandExecution/requestApproval";
  const turnId = await one.startTurn(threadId, "ask");
  const asked = await one.waitFor(isQuestion, "the question");
  await two.call("thread/resume", { threadId });
  const first = await two.waitFor(isQuestion, "the question, in the other process");
  await one.kill();
  await two.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === first.id, "the end of the first question");
  const again = await two.waitFor((m) => isQuestion(m) && m.id !== first.id, "the question again");
  assert.deepEqual([again.params.turnId, again.params.itemId], [turnId, asked.params.itemId]);
  // A new scripted model begins a turn anew, so it gets only the step after the open call.
  writeFileSync(path.join(home(folder), "scenario.json"), JSON.stringify({ turns: [[{ say: "Touched." }]] }));
  two.send({ id: again.id, result: { decision: "accept" } });
  assert.equal((await two.turnEnd(turnId)).status, "completed");
  assert.ok(existsSync(path.join(folder, "workspace", "asked")));
});

verifiesLive("live.manyProcesses", async (t) => {
  const folder = stage(t, asking);
  const servers = await Promise.all(Array.from({ length: 5 }, () => LiveServer.start(t, folder)));
  const [first] = servers;
  assert.ok(first);
  const threadId = await first.startThread(settings(folder));
  await first.turn(threadId, "hello");
  for (const server of servers.slice(1)) await server.call("thread/resume", { threadId });
  const texts = ["hello"];
  /** Kills the process that runs the thread, again and again, until one is left. */
  for (let left: LiveServer[] = [...servers]; left.length > 1; ) {
    const pid = heldBy(folder, threadId);
    const holder = left.find((server) => server.child.pid === pid);
    assert.ok(holder, `process ${pid} is none of ours`);
    left = left.filter((server) => server !== holder);
    const counts = new Map(left.map((server) => [server, goOns(server)]));
    await holder.kill();
    for (const server of left) await server.until(() => goOns(server) > (counts.get(server) ?? 0) || undefined, "that the thread goes on");
    const [starter] = left;
    const text = `after ${texts.length}`;
    texts.push(text);
    const turnId: string = (await starter?.startTurn(threadId, text)) ?? "";
    for (const server of left) assert.equal((await server.turnEnd(turnId)).status, "completed", text);
  }
  const reader = await LiveServer.start(t, folder);
  const { thread } = await reader.call("thread/read", { threadId, includeTurns: true });
  assert.deepEqual(textsOf(thread.turns), texts);
});

verifiesLive(
  "live.manyProcesses",
  async (t) => {
    const folder = stage(t, asking);
    const servers: LiveServer[] = [];
    while (servers.length < 20) servers.push(...(await Promise.all([1, 2, 3, 4].map(() => LiveServer.start(t, folder)))));
    // Each runs a thread of its own, and one of them follows all the others and leads each of them on.
    const threads = await Promise.all(servers.map((server) => server.startThread(settings(folder))));
    await Promise.all(servers.map((server, at) => server.turn(threads[at] ?? "", `own ${at}`)));
    const [first] = servers;
    assert.ok(first);
    const { data } = await first.call("thread/list", { modelProviders: [], limit: 100 });
    assert.equal(data.length, 20);
    for (const threadId of threads.slice(1)) await first.call("thread/resume", { threadId });
    const turns = await Promise.all(threads.map((threadId, at) => first.startTurn(threadId, `led ${at}`)));
    for (const [at, server] of servers.entries()) assert.equal((await server.turnEnd(turns[at] ?? "")).status, "completed");
    // All of them follow one thread.
    const [shared = ""] = threads;
    await Promise.all(servers.slice(1).map((server) => server.call("thread/resume", { threadId: shared })));
    const turnId = await (servers.at(-1) ?? first).startTurn(shared, "for all");
    for (const server of servers) assert.equal((await server.turnEnd(turnId)).status, "completed");
    // Half of them are killed, the first among them: every thread can be gone on with by those that are left.
    await Promise.all(servers.slice(0, 10).map((server) => server.kill()));
    const [left] = servers.slice(10);
    assert.ok(left);
    for (const threadId of threads) await left.call("thread/resume", { threadId });
    for (const threadId of threads) assert.equal((await left.turn(threadId, "after")).status, "completed");
  },
  { detail: "twenty on one home" },
);

const goOns = (server: LiveServer): number =>
  server.messages.filter((m) => m.method === "warning" && /Another one continues it/.test(m.params.message)).length;
const heldBy = (folder: string, threadId: string): unknown =>
  JSON.parse(readFileSync(path.join(home(folder), "parley", "locks", `${threadId}.json`), "utf8")).pid;

verifiesLive("live.strangers", async (t) => {
  const folder = stage(t, asking);
  const [one, two] = await Promise.all([LiveServer.start(t, folder), LiveServer.start(t, folder)]);
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "hello");
  const live = path.join(home(folder), "parley", "live");
  const [name = ""] = readdirSync(live);
  // What is not a greeting closes its own connection and nothing else.
  const deep = `{"relay":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  for (const line of ["", "null", "{}", '{"relay":"parley-relay-9"}', '{"id":1,"method":"thread/list"}', deep, "\u0000".repeat(100)]) {
    const socket = connect(path.join(live, name));
    socket.on("error", () => {});
    socket.resume();
    socket.write(`${line}\n`);
    await once(socket, "close");
  }
  // A lock that names a socket elsewhere is not followed.
  const lock = path.join(home(folder), "parley", "locks", `${threadId}.json`);
  const held = JSON.parse(readFileSync(lock, "utf8"));
  writeFileSync(lock, JSON.stringify({ ...held, socket: `../../../${name}` }));
  const { error } = await two.ask("turn/start", { threadId, input: [{ type: "text", text: "x" }] });
  assert.match(error.message, /thread not found/);
  await two.call("thread/resume", { threadId });
  assert.match((await two.ask("turn/start", { threadId, input: [{ type: "text", text: "x" }] })).error.message, /open in another process/);
  writeFileSync(lock, JSON.stringify(held));
  assert.equal((await one.turn(threadId, "still here")).status, "completed");
});
