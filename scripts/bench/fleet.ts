/** A fleet on this machine: what a turn, a resume and an append cost through it, how soon a dead worker is noticed, and what a front needs. */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { Client } from "../../src/client/client.ts";
import type { ThreadRecord } from "../../src/core/ports/thread-store.ts";
import { openEngine } from "../../src/fleet/engine.ts";
import { Membership } from "../../src/fleet/membership.ts";
import { createSharedStore } from "../../src/fleet/store.ts";
import { WorkerState } from "../../src/fleet/worker-state.ts";
import { timedUuid } from "../../src/lib/random.ts";
import { type FleetClient, FleetStage } from "../../test/fleet/stage.ts";
import { noPostgres } from "../../test/support/postgres.ts";
import type { Message } from "../../test/support/wire.ts";
import type { FleetFigures, FleetMeasureName } from "./fleet-measures.ts";
import { Stage } from "./stage.ts";

const threadCount = 1000;
const turns = [
  { user: "/^many/", steps: Array.from({ length: 250 }, (_, i) => ({ say: `Item ${i}.` })) },
  { user: "/^deltas/", steps: [{ say: "word ".repeat(50).trim(), deltas: 50 }] },
  { user: "/^wait/", steps: [{ run: "sleep 20" }, { say: "never" }] },
  { user: "/./", steps: [{ say: "x" }] },
];

/** Undefined where PostgreSQL is missing. */
export async function measureFleet(program: string, signal: AbortSignal): Promise<FleetFigures | undefined> {
  if (noPostgres !== false) return undefined;
  const before = loadavg()[0] ?? 0;
  const load = [before];
  const steps: (() => unknown)[] = [];
  const measures: Measures = { killed: [], hung: [], commit: [], appends: [], turn: [], deltas: [], resume: [], memory: [] };
  const parts = [measureTurns, measureResume, measureCrowd, measureDeaths, measureAppends];
  try {
    for (const part of parts) {
      if (signal.aborted) break;
      process.stderr.write(`fleet: ${part.name}\n`);
      // One for each part: what is to be ended is registered once for each.
      const ending = { after: (step: () => unknown) => void steps.push(step) };
      await part(await FleetStage.start(ending, turns, "model_context_window = 1000000000\n"), measures, program);
      for (const step of steps.splice(0).toReversed()) await step();
      load.push(loadavg()[0] ?? 0);
    }
  } finally {
    for (const step of steps.toReversed()) await Promise.resolve(step()).catch(() => {});
  }
  return { when: new Date().toISOString(), load: { before, highest: Math.max(...load) }, measures };
}

type Measures = Record<FleetMeasureName, number[]>;

async function fleetTurn(client: FleetClient, threadId: string, text = "x"): Promise<number> {
  const started = performance.now();
  const from = client.messages.length;
  const turnId = await client.startTurn(threadId, text);
  await client.waitFor((m) => m.method === "turn/completed" && m.params.turn.id === turnId, "the turn's end", 120_000, from);
  return performance.now() - started;
}

async function ownTurn(client: Client, threadId: string, text = "x"): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = new Set<unknown>();
  let turnId: string | undefined;
  const stop = client.on("turn/completed", ({ turn: { id } }) => {
    over.add(id);
    if (id === turnId) resolve();
  });
  const started = performance.now();
  turnId = (await client.call("turn/start", { threadId, input: [{ type: "text", text }] })).turn.id;
  if (!over.has(turnId)) await promise;
  stop();
  return performance.now() - started;
}

/** Turns of the fleet and of one machine alternate, so that other load affects both alike. */
async function measureTurns(stage: FleetStage, measures: Measures, program: string): Promise<void> {
  const [, front, single] = [await stage.worker("w1"), await stage.front(), new Stage(program)];
  try {
    const client = await front.client(await stage.token());
    const { client: own } = await single.start();
    const there = await client.startThread(stage.settings());
    const { thread: here } = await own.call("thread/start", { cwd: single.workspace, approvalPolicy: "never" });
    await stage.engine.query("create table bare (number integer)");
    for (let i = 0; i < 60; i++) {
      const [direct, through] = [await ownTurn(own, here.id), await fleetTurn(client, there)];
      const began = performance.now();
      await stage.engine.query("insert into bare values ($1)", [i]);
      if (i < 10) continue;
      measures.commit.push(performance.now() - began);
      measures.turn.push(through - direct);
    }
  } finally {
    single.close();
  }
}

async function measureResume(stage: FleetStage, measures: Measures, program: string): Promise<void> {
  const steps = Array.from({ length: 250 }, (_, i) => `- say: "Item ${i}."`).join("\n      ");
  const [, front, single] = [await stage.worker("w1"), await stage.front(), new Stage(program, steps)];
  try {
    const token = await stage.token();
    const client = await front.client(token);
    const { client: own } = await single.start();
    const there = await client.startThread(stage.settings());
    const { thread: here } = await own.call("thread/start", { cwd: single.workspace, approvalPolicy: "never" });
    for (let i = 0; i < 20; i++) {
      await ownTurn(own, here.id, "many");
      await fleetTurn(client, there, "many");
    }
    for (let i = 0; i < 6; i++) {
      const [besideFleet, besideOwn] = [await front.client(token), own];
      const began = performance.now();
      await besideOwn.call("thread/resume", { threadId: here.id });
      const direct = performance.now() - began;
      const again = performance.now();
      await besideFleet.call("thread/resume", { threadId: there });
      if (i > 0) measures.resume.push((performance.now() - again) / direct);
      besideFleet.close();
    }
  } finally {
    single.close();
  }
}

/** One look at each message, however many threads the client has: what is measured is the fleet. */
async function turnEnds(client: FleetClient, count: number): Promise<void> {
  let left = count;
  const isLast = ({ method, params }: Message): boolean =>
    method === "turn/completed" && params.turn.status === "completed" && --left === 0;
  await client.waitFor(isLast, "the turns' ends", 300_000, client.messages.length);
}

async function measureCrowd(stage: FleetStage, measures: Measures): Promise<void> {
  await stage.workers("w1", "w2");
  const front = await stage.front();
  const token = await stage.token();
  const clients = await Promise.all(Array.from({ length: 10 }, () => front.client(token)));
  const threads: { readonly client: FleetClient; readonly threadId: string }[] = [];
  for (let i = 0; i < threadCount; i += clients.length)
    threads.push(...(await Promise.all(clients.map(async (client) => ({ client, threadId: await client.startThread(stage.settings()) })))));
  const status = readFileSync(`/proc/${front.process.child.pid}/status`, "utf8");
  measures.memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  for (let round = 0; round < 2; round++) {
    const started = performance.now();
    const ends = clients.map((client) => turnEnds(client, threads.filter((one) => one.client === client).length));
    for (const { client, threadId } of threads)
      client.send({ id: `${round} ${threadId}`, method: "turn/start", params: { threadId, input: [{ type: "text", text: "deltas" }] } });
    await Promise.all(ends);
    measures.deltas.push((performance.now() - started) / 1000);
    for (const client of clients) client.messages.length = 0;
  }
}

async function measureDeaths(stage: FleetStage, measures: Measures): Promise<void> {
  let workers = await stage.workers("w1", "w2");
  const front = await stage.front();
  const client = await front.client(await stage.token());
  for (const kind of ["killed", "killed", "killed", "hung", "hung"] as const) {
    const threadId = await client.startThread(stage.settings());
    const turnId = await client.startTurn(threadId, "wait");
    await client.waitFor(
      (m: Message) => m.method === "item/started" && m.params.turnId === turnId && m.params.item.type === "commandExecution",
      "it",
    );
    const holder = await stage.holder(threadId);
    const victim = workers.find(({ name }) => name === holder);
    if (victim === undefined) throw new Error("nobody holds the thread");
    const began = performance.now();
    victim.signal(kind === "killed" ? "SIGKILL" : "SIGSTOP");
    await client.moved(threadId);
    await client.startTurn(threadId, "x");
    measures[kind].push(performance.now() - began);
    victim.signal("SIGKILL");
    await victim.ended;
    const back = await stage.worker(victim.name);
    workers = workers.map((one) => (one.name === victim.name ? back : one));
  }
}

async function measureAppends(stage: FleetStage, measures: Measures): Promise<void> {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const engine = await openEngine({ address: stage.postgres.address, name: "bench" });
  const member = new Membership({
    ...{ engine, log, name: "bench", version: "1", url: "ws://127.0.0.1:1", linkSecret: "s", certSha256: null },
    ...{ labels: [], teams: [], maxThreads: null },
  });
  await member.join();
  member.start();
  const state = new WorkerState(engine, member);
  const store = createSharedStore(state, "a");
  const ids = Array.from({ length: threadCount }, () => timedUuid());
  const said = (turnId: string): ThreadRecord => ({
    type: "item",
    turnId,
    item: { type: "agentMessage", id: `m-${timedUuid()}`, text: "A sentence of a usual length, as models say them.", phase: null } as never,
    startedAtMs: 5,
    completedAtMs: 6,
  });
  try {
    for (const id of ids) {
      await store.lease(id, "bench");
      const meta = {
        createdAtMs: Date.now(),
        cwd: "/w",
        originator: "bench",
        cliVersion: "1",
        source: "vscode",
        modelProvider: "p",
      } as const;
      await store.append(id, [{ type: "meta", meta: { id, baseInstructions: undefined, ...meta } }]);
    }
    for (let round = 0; round < 3; round++) {
      const each = 40;
      const started = performance.now();
      await Promise.all(
        ids.map(async (id) => {
          for (let i = 0; i < each; i++) await store.append(id, [said("t")]);
        }),
      );
      measures.appends.push((threadCount * each) / ((performance.now() - started) / 1000));
    }
  } finally {
    await member.leave().catch(() => {});
    state.close();
    await engine.close();
  }
}
