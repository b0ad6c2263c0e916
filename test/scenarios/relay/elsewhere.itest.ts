/** Several processes on one home: lists and inboxes show what threads of other processes do and ask, without opening them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { eventually, LiveServer, verifiesLive } from "../../support/live-server.ts";
import { home, settings, stage } from "../../support/live-stage.ts";
import { realEngine, startManager, type TestManager } from "../../support/manager.ts";
import { launcher } from "../../support/process.ts";
import type { Message } from "../../support/wire.ts";

const asking = [
  { user: "/ask/", steps: [{ run: "touch asked" }, { say: "Touched." }] },
  { user: "/./", steps: [{ say: "You said {{user}}." }] },
];
const askingSettings = (folder: string) => ({ ...settings(folder), sandbox: "read-only", approvalPolicy: "untrusted" });
const isQuestion = ({ method }: Message): boolean => method === "item/commandExecution/requestApproval";
const live = (folder: string): string => path.join(home(folder), "parley", "live");

const listed = async (server: LiveServer, threadId: string): Promise<Message> => {
  const { data } = await server.call("thread/list", { modelProviders: [] });
  return data.find((thread: Message) => thread.id === threadId)?.status;
};
const statusTold = (server: LiveServer, threadId: string, from: number, fits: (status: Message) => boolean): Promise<Message> =>
  server.until(
    () =>
      server.messages
        .slice(from)
        .find((m) => m.method === "thread/status/changed" && m.params.threadId === threadId && fits(m.params.status)),
    "the status",
  );

async function managerOn(t: TestContext, folder: string): Promise<TestManager> {
  const workspace = path.join(folder, "workspace");
  const engine = realEngine(folder, workspace, "turns: []");
  const manager = await startManager({ engine: engine.engine, folder, workspace, onClose: () => engine.close() });
  t.after(() => manager.close());
  return manager;
}

verifiesLive("live.listed", async (t) => {
  const folder = stage(t, asking);
  const [one, two] = await Promise.all([LiveServer.start(t, folder), LiveServer.start(t, folder)]);
  const threadId = await one.startThread(askingSettings(folder));
  await one.turn(threadId, "hello");
  assert.deepEqual(await listed(two, threadId), { type: "idle" });
  const turnId = await one.startTurn(threadId, "ask");
  const question = await one.waitFor(isQuestion, "the question");
  const waiting = { type: "active", activeFlags: ["waitingOnApproval"] };
  await statusTold(two, threadId, 0, (status) => JSON.stringify(status) === JSON.stringify(waiting));
  assert.deepEqual(await listed(two, threadId), waiting);
  // It hears of statuses and of nothing else, and has loaded nothing.
  assert.ok(!two.messages.some((m) => isQuestion(m) || m.method?.startsWith("item/") || m.method?.startsWith("turn/")));
  assert.deepEqual((await two.call("thread/loaded/list")).data, []);
  const env = { ...process.env, CODEX_HOME: home(folder), HOME: folder };
  const { stdout } = await promisify(execFile)(launcher, ["threads", "list"], { env });
  assert.match(stdout, /waiting for you .* hello/);
  // A process that starts while a question waits knows of it with its first list.
  const three = await LiveServer.start(t, folder);
  assert.deepEqual(await listed(three, threadId), waiting);
  const before = two.messages.length;
  one.send({ id: question.id, result: { decision: "decline" } });
  await one.turnEnd(turnId);
  await statusTold(two, threadId, before, ({ type }) => type === "idle");
  // Its process dies: nobody runs the thread any more, unless somebody follows it.
  await one.kill();
  for (const server of [two, three]) await statusTold(server, threadId, 0, ({ type }) => type === "notLoaded");
  assert.deepEqual(await listed(two, threadId), { type: "notLoaded" });
});

verifiesLive("live.inbox", async (t) => {
  const folder = stage(t, asking);
  const one = await LiveServer.start(t, folder);
  const early = await one.startThread(askingSettings(folder));
  const turns = [await one.startTurn(early, "ask early")];
  await one.waitFor(isQuestion, "the first question");
  const manager = await managerOn(t, folder);
  const pending = async (threadId: string): Promise<Message> => {
    const { body } = await manager.call("GET /api/pending");
    return (body["data"] as Message[]).find((request) => request.threadId === threadId);
  };
  let request: Message;
  const inInbox = async (threadId: string): Promise<Message> => {
    for (request = undefined; request === undefined; ) {
      request = await pending(threadId);
      if (request === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return request;
  };
  // One that waited before the manager came, and one of a process that came after it.
  const two = await LiveServer.start(t, folder);
  const late = await two.startThread(askingSettings(folder));
  turns.push(await two.startTurn(late, "ask late"));
  for (const threadId of [early, late]) {
    const { approvalId } = await inInbox(threadId);
    const { body } = await manager.call(`POST /api/approvals/${approvalId}/decision`, { decision: "decline" });
    assert.equal(body["status"], "ok", JSON.stringify(body));
  }
  const [first = "", second = ""] = turns;
  assert.equal((await one.turnEnd(first)).status, "completed");
  assert.equal((await two.turnEnd(second)).status, "completed");
  assert.deepEqual((await manager.call("GET /api/pending")).body["data"], []);
});

verifiesLive(
  "live.listed",
  async (t) => {
    const folder = stage(t, asking);
    const one = await LiveServer.start(t, folder);
    const threadId = await one.startThread(askingSettings(folder));
    await one.turn(threadId, "hello");
    await eventually(() => existsSync(live(folder)), "the folder of sockets");
    // Names that lead elsewhere, a peer that never answers, one that sends garbage, one that floods, one that speaks for a thread which is not its own.
    const elsewhere = path.join(folder, "elsewhere");
    mkdirSync(elsewhere);
    const flood = `${JSON.stringify({ statuses: { [threadId]: { type: "systemError" } } })}\n`;
    const planted: Readonly<Record<string, string>> = { silent: "", garbage: "nonsense\n", flood: flood.repeat(5000), liar: flood };
    for (const [name, text] of Object.entries(planted)) {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        if (text !== "") socket.write(text);
      });
      server.listen(path.join(live(folder), `1-${name}.sock`));
      t.after(() => server.close());
    }
    const other = createServer((socket) => socket.write(flood));
    other.listen(path.join(elsewhere, "1-link.sock"));
    t.after(() => other.close());
    symlinkSync(path.join(elsewhere, "1-link.sock"), path.join(live(folder), "1-link.sock"));
    writeFileSync(path.join(live(folder), "1-file.sock"), flood);
    const many = `for (let i = 0; i < 1000; i++) require("node:net").createServer().listen(i + "-dead.sock"); setTimeout(() => process.kill(process.pid, "SIGKILL"), 200)`;
    await promisify(execFile)(process.execPath, ["-e", many], { cwd: live(folder) }).catch(() => {});
    assert.ok(readdirSync(live(folder)).length > 1000);
    const two = await LiveServer.start(t, folder);
    const begun = performance.now();
    const first = await listed(two, threadId);
    const tookMs = performance.now() - begun;
    assert.ok(tookMs < 5000, `the first list took ${tookMs} ms`);
    t.diagnostic(`the first list took ${Math.round(tookMs)} ms`);
    // On a busy machine the first list may have waited long enough; then the status is announced.
    if (first.type !== "idle") await statusTold(two, threadId, 0, ({ type }) => type === "idle");
    await one.startTurn(threadId, "ask");
    await statusTold(two, threadId, 0, ({ type }) => type === "active");
    assert.ok(!two.messages.some((m) => m.method === "thread/status/changed" && m.params.status.type === "systemError"));
    assert.ok(readdirSync(live(folder)).includes("1-liar.sock"));
  },
  { detail: "beside peers that do not answer, flood or lie" },
);
