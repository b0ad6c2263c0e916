/** Workers as processes, driven directly with their link secret: joining, refusing others, draining, taking over after a kill and a stop. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Engine, openEngine } from "../../src/fleet/engine.ts";
import { createRegistry } from "../../src/fleet/registry.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { putTeam } from "../../src/fleet/teams.ts";
import { endedWith } from "../support/ending.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";
import { forcedEngine, launcher, scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";

/** The scripted model of a worker that takes a turn over begins its scenario anew: there the rest of the turn is all of it. */
const scenario = (asks: string): string => `
turns:
  - user: hello
    steps: [{ say: "hi there" }]
  - user: slow
    steps: [{ pause: 2500 }, { say: "slept" }]
  - user: ticks
    steps: [{ run: "for i in $(seq 50); do echo $i >> ticks.txt; sleep 0.1; done" }, { say: "ticked" }]
  - user: command
    steps: [{ run: "echo ran >> started.txt; sleep 30" }, { say: "never" }]
  - user: approve ${asks}
    steps: [{ run: "echo approved >> started.txt" }, { say: "done it" }]
  - user: approve
    steps: [{ say: "the rest" }]
`;

interface Stage {
  readonly postgres: Postgres;
  readonly engine: Engine;
  readonly folder: string;
}

async function stage(t: TestContext): Promise<Stage> {
  const postgres = await Postgres.start(t);
  const engine = await openEngine({ address: postgres.address, name: "test" });
  t.after(() => engine.close());
  await upgradeSchema(engine);
  for (const team of ["core", "other"]) await putTeam(engine, team, {});
  const folder = scratch(t);
  return { postgres, engine, folder };
}

interface Worker {
  readonly child: ChildProcess;
  readonly url: string;
  said(): string;
}

function launch(
  t: TestContext,
  { folder }: Stage,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): { child: ChildProcess; said: () => string } {
  const [, name = ""] = args;
  const home = path.join(folder, `home-${name}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "scenario.yaml"), scenario(name));
  writeFileSync(
    path.join(home, "config.toml"),
    `model_provider = "scripted"\nmodel_providers.scripted.options.scenario = "scenario.yaml"\nsandbox_mode = "danger-full-access"\n`,
  );
  const child = spawn(launcher, ["worker", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home, ...forcedEngine(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  endedWith(t, child);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  return { child, said: () => text };
}

async function worker(t: TestContext, on: Stage, name: string, ...more: string[]): Promise<Worker> {
  const { child, said } = launch(t, on, ["--name", name, "--listen", "ws://127.0.0.1:0", ...more], { PARLEY_FLEET: on.postgres.address });
  while (!/ serves the fleet at /.test(said())) {
    assert.equal(child.exitCode, null, said());
    await sleep(20);
  }
  return { child, url: /ws:\/\/\S+/.exec(said())?.[0] ?? "", said };
}

/** A front's connection for one client. */
class Front {
  readonly #socket: WebSocket;
  readonly messages: Message[] = [];
  #next = 1;
  #wake = Promise.withResolvers<void>();
  isClosed = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      this.messages.push(JSON.parse(String(data)) as Message);
      this.#stir();
    });
    socket.on("close", () => {
      this.isClosed = true;
      this.#stir();
    });
    socket.on("error", () => {});
  }
  #stir(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  static async to(t: TestContext, on: Stage, name: string, team = "core"): Promise<Front> {
    const [row] = await on.engine.query<{ url: string; link_secret: string }>(
      "select url, link_secret from parley.workers where name = $1",
      [name],
    );
    assert.ok(row !== undefined);
    const socket = new WebSocket(row.url, {
      headers: { authorization: `Bearer ${row.link_secret}`, "parley-team": team, "parley-user": "u" },
    });
    t.after(() => socket.terminate());
    const front = new Front(socket);
    await once(socket, "open");
    await front.call("initialize", { clientInfo: { name: "front", title: null, version: "1" }, capabilities: { experimentalApi: true } });
    return front;
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }
  async ask(method: string, params: unknown): Promise<Message> {
    const id = this.#next++;
    this.send({ id, method, params });
    return await this.until((message) => message.id === id && message.method === undefined, method);
  }
  async call(method: string, params: unknown): Promise<Message> {
    const { result, error } = await this.ask(method, params);
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  }
  async until(is: (message: Message) => boolean, what: string, ms = 20_000): Promise<Message> {
    for (const end = performance.now() + ms; ; ) {
      const found = this.messages.find(is);
      if (found !== undefined) return found;
      assert.ok(performance.now() < end && !this.isClosed, `${what}: ${JSON.stringify(this.messages.slice(-5))}`);
      await Promise.race([this.#wake.promise, sleep(100)]);
    }
  }
  told(method: string, threadId: string): Message[] {
    return this.messages.filter((message) => message.method === method && message.params?.threadId === threadId);
  }
}

function linesIn(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

const input = (text: string): unknown => [{ type: "text", text }];

async function began(front: Front, cwd: string, text: string): Promise<string> {
  const { thread } = await front.call("thread/start", { cwd, approvalPolicy: text.startsWith("approve") ? "untrusted" : "never" });
  await front.call("turn/start", { threadId: thread.id, input: input(text) });
  return thread.id as string;
}

async function held(on: Stage, threadId: string, by: string, ms = 10_000): Promise<void> {
  const registry = createRegistry(on.engine);
  for (const end = performance.now() + ms; ; await sleep(50)) {
    const place = (await registry.holders([threadId])).get(threadId);
    if (place?.holder?.name === by) return;
    assert.ok(performance.now() < end, `${by} does not hold it: ${JSON.stringify(place)}`);
  }
}

test("a worker serves fronts alone, gives its threads up when it is drained, and others take over what a killed or stopped one ran", {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const on = await stage(t);
  const [one, two] = await Promise.all([worker(t, on, "w1"), worker(t, on, "w2")]);

  const stranger = new WebSocket(one.url, { headers: { authorization: "Bearer x", "parley-team": "core" } });
  const [refused] = await once(stranger, "unexpected-response", {}).then(([, response]) => [response]);
  assert.equal(refused.statusCode, 401);
  stranger.on("error", () => {});
  stranger.terminate();

  const a = await Front.to(t, on, "w1");
  const id = await began(a, on.folder, "hello");
  await a.until((message) => message.method === "turn/completed" && message.params.threadId === id, "turn/completed");
  await held(on, id, "w1");
  const read = await (await Front.to(t, on, "w2")).call("thread/read", { threadId: id, includeTurns: true });
  assert.deepEqual(
    read.thread.turns[0].items.map((item: Message) => item.type),
    ["userMessage", "agentMessage"],
  );
  assert.equal(read.thread.path, `parley://${id}`);
  const b = await Front.to(t, on, "w2");
  const moved = await b.ask("thread/resume", { threadId: id });
  assert.deepEqual(moved.error?.data, { heldByAnotherProcess: true });
  const notHere = await b.ask("turn/start", { threadId: id, input: input("x") });
  assert.deepEqual(notHere.error?.data, { heldByAnotherProcess: true });
  const unshared = await b.ask("config/value/write", { keyPath: "model", value: "x", mergeStrategy: "replace" });
  assert.match(unshared.error?.message ?? "", /operator/);

  // killed in the middle of a command and of a question
  const command = await began(a, on.folder, "command");
  const asking = await began(a, on.folder, "approve w1");
  const asked = await a.until((message) => message.method === "item/commandExecution/requestApproval", "a question");
  const started = path.join(on.folder, "started.txt");
  const lines = (): string[] => linesIn(started);
  while (!lines().includes("ran")) await sleep(20);
  for (const threadId of [command, asking]) {
    const elsewhere = await b.call("thread/read", { threadId, includeTurns: true });
    assert.equal(elsewhere.thread.turns[0].status, "inProgress", "who does not run it reads that it goes on");
  }
  one.child.kill("SIGKILL");
  await Promise.all([held(on, command, "w2"), held(on, asking, "w2")]);
  const ended = await b.call("thread/resume", { threadId: command });
  assert.equal(ended.thread.turns[0].status, "interrupted");
  const goesOn = await b.call("thread/resume", { threadId: asking });
  assert.equal(goesOn.thread.turns[0].status, "inProgress");
  const again = await b.until((message) => message.method === "item/commandExecution/requestApproval", "the question again");
  assert.equal(again.params.itemId, asked.params.itemId);
  b.send({ id: again.id, result: { decision: "accept" } });
  await b.until((message) => message.method === "turn/completed" && message.params.threadId === asking, "the turn's end");
  assert.deepEqual(lines(), ["ran", "approved"]);
  const [log] = await on.engine.query<{ count: string }>("select count(*) from parley.v_log where kind = 'turnEnded' and thread_id = $1", [
    command,
  ]);
  assert.equal(log?.count, "1");

  // stopped, and awake again
  const three = await worker(t, on, "w3");
  const c = await Front.to(t, on, "w3");
  const slow = await began(c, on.folder, "slow");
  const before = c.messages.length;
  three.child.kill("SIGSTOP");
  await held(on, slow, "w2");
  const taken = await b.call("thread/resume", { threadId: slow });
  assert.equal(taken.thread.turns[0].status, "interrupted");
  three.child.kill("SIGCONT");
  while (!c.isClosed) await sleep(20);
  assert.deepEqual(
    c.messages.slice(before).filter((message) => message.method?.startsWith("item/") || message.method === "turn/completed"),
    [],
  );
  const zombie = await on.engine.query("select 1 from parley.v_log where thread_id = $1 and worker = 'w3' and epoch > 1", [slow]);
  assert.deepEqual(zombie, []);
  const back = await Front.to(t, on, "w3");
  await began(back, on.folder, "hello");

  // drained while one thread is idle, one waits, one works
  const waits = await began(b, on.folder, "approve w2");
  await b.until((message) => message.method === "item/commandExecution/requestApproval" && message.params.threadId === waits, "a question");
  const works = await began(b, on.folder, "slow");
  two.child.kill("SIGTERM");
  await held(on, waits, "w3");
  const handed = await back.call("thread/resume", { threadId: waits });
  assert.equal(handed.thread.turns[0].status, "inProgress");
  assert.deepEqual(b.told("serverRequest/resolved", waits), []);
  assert.deepEqual(b.told("turn/completed", waits), []);
  await b.until((message) => message.method === "turn/completed" && message.params.threadId === works, "the running turn's end");
  assert.equal(b.told("turn/completed", works)[0]?.params.turn.status, "completed");
  const [code] = await once(two.child, "exit");
  assert.equal(code, 0);
  const names = (await createRegistry(on.engine).workers()).map(({ name, state }) => `${name} ${state}`);
  assert.deepEqual(names, ["w1 lost", "w3 up"]);
  const places = await createRegistry(on.engine).holders([works, id]);
  assert.equal(places.get(works)?.moved, "drained");
});

test("a worker that cannot join says why", { skip: noPostgres }, async (t) => {
  const on = await stage(t);
  const first = await worker(t, on, "w1", "--team", "core", "--label", "gpu");
  const attempt = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<{ code: number; text: string }> => {
    const { child, said } = launch(t, on, args, env);
    const [code] = (await once(child, "close")) as [number];
    return { code, text: said() };
  };
  const listen = ["--listen", "ws://127.0.0.1:0"];
  const [password, open, everywhere, twice] = await Promise.all([
    attempt(["--name", "x", ...listen], { PARLEY_FLEET: on.postgres.addressOf("parley", "wrong-9431") }),
    attempt(["--name", "x", "--listen", "ws://192.0.2.1:0"], { PARLEY_FLEET: on.postgres.address }),
    attempt(["--name", "x", "--listen", "ws://0.0.0.0:0"], { PARLEY_FLEET: on.postgres.address }),
    attempt(["--name", "w1", ...listen], { PARLEY_FLEET: on.postgres.address }),
  ]);
  assert.equal(password.code, 1);
  assert.match(password.text, /password/);
  assert.doesNotMatch(password.text, /9431/);
  for (const { code, text } of [open, everywhere]) assert.ok(code === 1 && /TLS/.test(text), text);
  assert.ok(twice.code === 1 && /named w1/.test(twice.text), twice.text);
  assert.equal(first.child.exitCode, null);

  const front = await Front.to(t, on, "w1");
  await assert.rejects(Front.to(t, on, "w1", "other"));
  await front.call("thread/start", { cwd: on.folder, config: { "fleet.labels": ["gpu"] } });
  const labelled = await front.ask("thread/start", { cwd: on.folder, config: { "fleet.labels": ["tpu"] } });
  assert.match(labelled.error?.message ?? "", /tpu/);
  const ticking = await began(front, on.folder, "ticks");
  const ticks = (): number => linesIn(path.join(on.folder, "ticks.txt")).length;
  while (ticks() < 5) await sleep(20);
  await on.postgres.kill();
  for (let before = -1; before !== ticks(); ) {
    before = ticks();
    await sleep(700);
  }
  assert.ok(ticks() < 50, "a command goes on although its worker may have been lost");
  const { child, said } = launch(t, on, ["--name", "late", ...listen], { PARLEY_FLEET: on.postgres.address });
  while (!/trying again/.test(said())) await sleep(20);
  await on.postgres.up();
  while (!/ serves the fleet at /.test(said())) await sleep(20);
  assert.equal(child.exitCode, null);
  await front.until((message) => message.method === "turn/completed" && message.params.threadId === ticking, "the turn's end");
  assert.equal(front.told("turn/completed", ticking)[0]?.params.turn.status, "completed");
  assert.equal(ticks(), 50);
  await on.engine.query("update parley.workers set draining = true where name = 'late'");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});
