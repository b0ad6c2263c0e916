/** A manager whose engine process dies in the middle of a turn, and one that is itself restarted: nothing is lost or sent twice. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { ManagerClient, ManagerError, type StreamMessage } from "../schema/manager/client.ts";
import { atEnd, kill } from "./support/ending.ts";
import { launcher, scratch } from "./support/process.ts";

const scenario = `
turns:
  - user: slow
    steps:
      - say: "Began."
      - pause: 60000
      - say: "Never said."
  - user: run
    steps:
      - run: "touch made.txt"
      - say: "Ran."
  - user: hello
    steps:
      - say: "Hello there."
`;

interface World {
  readonly folder: string;
  readonly home: string;
  readonly socket: string;
  readonly env: Record<string, string | undefined>;
  readonly children: ChildProcess[];
}

function worldOf(t: TestContext): World {
  const children: ChildProcess[] = [];
  const folder = scratch(t);
  atEnd(t, () => Promise.all(children.map(kill)));
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeFileSync(path.join(home, "scenario.yaml"), scenario);
  writeFileSync(
    path.join(home, "config.toml"),
    'model_provider = "scripted"\nmodel_providers.scripted.options.scenario = "scenario.yaml"\n',
  );
  const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home };
  return { folder, home, socket: path.join(folder, "engine.sock"), env, children };
}

async function startEngine({ folder, env, socket, children }: World): Promise<ChildProcess> {
  const child = spawn(launcher, ["app-server", "--listen", `unix://${socket}`], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  for await (const chunk of child.stderr) if (String(chunk).includes("listening on")) break;
  child.stderr.resume();
  return child;
}

interface Running {
  readonly child: ChildProcess;
  readonly client: ManagerClient;
  readonly url: string;
  readonly token: string;
}

async function startManager(world: World): Promise<Running> {
  const args = ["manager", "--connect", `unix://${world.socket}`, "--listen", "127.0.0.1:0", "--no-open"];
  const child = spawn(launcher, args, { cwd: world.folder, env: world.env, stdio: ["ignore", "pipe", "inherit"] });
  world.children.push(child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const url = /(http:\S+)\/#sign-in=/.exec(text)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    const token = readFileSync(path.join(world.home, "parley/manager/token"), "utf8").trim();
    return { child, client: new ManagerClient({ url, token }), url, token };
  }
  throw new Error(`the manager ended: ${text}`);
}

/** Everything that a client receives, in order, across reconnects. */
function listen(
  t: TestContext,
  client: ManagerClient,
): { received: StreamMessage[]; until(fits: (m: StreamMessage) => boolean): Promise<StreamMessage> } {
  const stop = new AbortController();
  atEnd(t, () => stop.abort());
  const received: StreamMessage[] = [];
  let wake = Promise.withResolvers<void>();
  void (async () => {
    for await (const message of client.events({ signal: stop.signal })) {
      received.push(message);
      wake.resolve();
      wake = Promise.withResolvers();
    }
  })();
  return {
    received,
    async until(fits) {
      const late = AbortSignal.timeout(60_000);
      for (;;) {
        const found = received.find(fits);
        if (found !== undefined) return found;
        if (late.aborted)
          throw new Error(
            `never received; last: ${received
              .slice(-5)
              .map((m) => m.type)
              .join(", ")}`,
          );
        await Promise.race([wake.promise, new Promise((resolve) => setTimeout(resolve, 250))]);
      }
    },
  };
}
const method = (m: StreamMessage): string => (m.type === "notification" ? m.payload.method : "");

/** The users' messages as stored on disk. */
function prompts({ home }: World): string[] {
  const files = readdirSync(path.join(home, "sessions"), { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".jsonl"));
  return files.flatMap((file) =>
    readFileSync(path.join(home, "sessions", file), "utf8")
      .split("\n")
      .filter((line) => line.includes('"user_message"'))
      .map((line) => String((JSON.parse(line) as { payload: { message?: string } }).payload.message)),
  );
}

test("the engine is killed in the middle of a turn and comes back: reported, rejoined, and each prompt is there once", async (t) => {
  const world = worldOf(t);
  const engine = await startEngine(world);
  const { client } = await startManager(world);
  const listener = listen(t, client);
  await listener.until((m) => m.type === "ready");
  const { session } = await client.postSessions({ cwd: world.folder });
  const { sessionId } = session;
  await client.postSessionsMessages(sessionId, { text: "a slow one", clientMessageId: "m-1" });
  await listener.until((m) => method(m) === "item/completed" && JSON.stringify(m).includes("Began."));

  await kill(engine);
  await listener.until((m) => m.type === "engine_state" && !m.payload.running);
  await assert.rejects(
    client.postSessionsMessages(sessionId, { text: "hello again", clientMessageId: "m-2" }),
    (error) => error instanceof ManagerError && error.status === 503 && error.code === "engine_unavailable",
  );
  assert.equal((await client.getSessions().catch(() => undefined))?.data.length ?? 0, 0, "nothing is invented meanwhile");

  await startEngine(world);
  await listener.until((m) => m.type === "engine_state" && m.payload.running);
  const again = await client.postSessionsMessages(sessionId, { text: "hello again", clientMessageId: "m-2" });
  assert.equal(again.delivery, "started");
  await listener.until((m) => method(m) === "turn/completed" && JSON.stringify(m).includes(String(again.turnId)));
  // The same two again, as a page sends them that got no response.
  assert.equal((await client.postSessionsMessages(sessionId, { text: "hello again", clientMessageId: "m-2" })).turnId, again.turnId);
  await client.postSessionsMessages(sessionId, { text: "a slow one", clientMessageId: "m-1" });
  assert.deepEqual(prompts(world), ["a slow one", "hello again"]);

  const { data } = await client.getSessionsTurns(sessionId);
  assert.deepEqual(
    data.map((turn) => turn.status),
    ["completed", "interrupted"],
  );
  const numbers = listener.received.flatMap((m) => ("seq" in m && "payload" in m ? [m.seq] : []));
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
    "events came once and in order",
  );
});

test("a request that waits when the engine dies is over, with the reason, and its late answer is 404; the next engine asks again", async (t) => {
  const world = worldOf(t);
  const engine = await startEngine(world);
  const { client } = await startManager(world);
  const listener = listen(t, client);
  await listener.until((m) => m.type === "ready");
  const { session } = await client.postSessions({ cwd: world.folder, filesystemSandbox: "workspace-write" });
  await client.postSessionsMessages(session.sessionId, { text: "run it" });
  const asked = await listener.until((m) => m.type === "approval");
  assert.equal((await client.getPending()).data.length, 1);
  const requestId = asked.type === "approval" ? asked.payload.requestId : "";
  await kill(engine);
  await listener.until((m) => m.type === "engine_state" && !m.payload.running);
  // Only the connection may have broken: the request stays open, and an answer that cannot be delivered is not accepted.
  assert.equal((await client.getPending()).data.length, 1);
  await assert.rejects(
    client.postApprovalsDecision(requestId, { decision: "accept" }),
    (error) => error instanceof ManagerError && error.status === 500,
  );
  await startEngine(world);
  const end = await listener.until((m) => m.type === "approval_resolved");
  assert.ok(end.type === "approval_resolved" && end.payload.status === "expired" && end.payload.reason != null);
  await assert.rejects(
    client.postApprovalsDecision(requestId, { decision: "accept" }),
    (error) => error instanceof ManagerError && error.status === 404,
  );
  const again = await listener.until((m) => m.type === "approval" && m.payload.requestId !== requestId);
  const pending = (await client.getPending()).data;
  assert.deepEqual(
    pending.map((request) => request.requestId),
    again.type === "approval" ? [again.payload.requestId] : [],
  );
  await client.postApprovalsDecision(pending[0]?.requestId ?? "", { decision: "cancel" });
  await listener.until((m) => method(m) === "turn/completed");
  assert.deepEqual((await client.getPending()).data, []);
});

test("a restart of the manager alone: the waiting request is the same, deletions are remembered, the audit log tells it all", async (t) => {
  const world = worldOf(t);
  await startEngine(world);
  const first = await startManager(world);
  const listener = listen(t, first.client);
  await listener.until((m) => m.type === "ready");
  const { session: doomed } = await first.client.postSessions({ cwd: world.folder });
  await first.client.postSessionsMessages(doomed.sessionId, { text: "hello" });
  await listener.until((m) => method(m) === "turn/completed");
  await first.client.deleteSessionsBySessionId(doomed.sessionId);
  const { session } = await first.client.postSessions({ cwd: world.folder, filesystemSandbox: "workspace-write" });
  await first.client.postSessionsMessages(session.sessionId, { text: "run it" });
  const asked = await listener.until((m) => m.type === "approval");
  const seen = asked.type === "approval" ? asked.payload : assert.fail();
  await kill(first.child);

  const { client, url, token } = await startManager(world);
  const later = listen(t, client);
  await later.until((m) => m.type === "ready");
  const deleted = await client.getSessionsBySessionId(doomed.sessionId).catch((error: unknown) => error);
  assert.ok(deleted instanceof ManagerError && deleted.status === 410, String(deleted));
  assert.equal((deleted.body as { sessionId: string }).sessionId, doomed.sessionId);
  for (let i = 0; i < 600 && (await client.getPending()).data.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 100));
  const [pending] = (await client.getPending()).data;
  assert.deepEqual([pending?.requestId, pending?.createdAt], [seen.requestId, seen.createdAt]);
  await client.postApprovalsDecision(seen.requestId, { decision: "accept", createdAt: seen.createdAt });
  await later.until((m) => method(m) === "turn/completed");
  const { data } = await client.getAudit();
  const lines = (await (await fetch(`${url}/api/audit/export`, { headers: { authorization: `Bearer ${token}` } })).text())
    .trim()
    .split("\n");
  assert.equal(lines.length, data.length, "the export is the whole book");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { seq: number }).seq),
    data.map((entry) => entry.seq).toReversed(),
  );
  for (const type of ["start", "delete", "resolved"])
    assert.ok(
      data.some((entry) => entry.type === type),
      type,
    );
});
