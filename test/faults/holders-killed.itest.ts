/**
 * Several processes follow one thread, and whichever runs it is killed at a random moment, again and again: nothing that any of them announced is
 * lost or told twice, every turn ends for everybody who follows it, and no question is gone.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, LiveServer, verifiesLive } from "../support/live-server.ts";
import { home, settings, stage } from "../support/live-stage.ts";
import type { Message } from "../support/wire.ts";

const kills = Number(process.env["PARLEY_HOLDER_KILLS"] ?? 20);
const followers = 3;
const turns = [
  { user: "/ask/", steps: [{ run: "touch asked" }, { say: "Touched." }] },
  { user: "/wor[k]/", steps: [{ reason: "hm" }, { run: "echo one" }, { say: "Looked." }, { run: "echo two" }, { say: "Done." }] },
  { user: "/./", steps: [{ say: "A story of many pieces. ".repeat(20), deltas: 40 }] },
];

const isQuestion = (m: Message): boolean => m.method === "item/commandExecution/requestApproval" && m.id !== undefined;
const questionsOf = (server: LiveServer): Message[] => server.messages.filter(isQuestion);
const moves = (server: LiveServer): number =>
  server.messages.filter((m) => m.method === "warning" && /Another one continues it/.test(m.params.message)).length;

/** The question of the dead process was withdrawn before its thread went on. */
function isOpen({ messages }: LiveServer, itemId: string): boolean {
  const question = messages.findLast((m) => isQuestion(m) && m.params.itemId === itemId);
  const isEnd = (m: Message): boolean => m.method === "serverRequest/resolved" && m.params.requestId === question?.id;
  return question !== undefined && !messages.slice(messages.indexOf(question)).some(isEnd);
}

class Home {
  readonly #t: TestContext;
  readonly folder: string;
  threadId = "";
  readonly live: LiveServer[] = [];
  /** All that ever ran, also those that were killed. */
  readonly all: LiveServer[] = [];
  /** Whether questions are answered as they come. */
  isAnswering = false;
  #spare: Promise<LiveServer>;

  constructor(t: TestContext) {
    this.#t = t;
    this.folder = stage(t, turns);
    this.#spare = LiveServer.start(t, this.folder);
  }

  /** The next process, which is started before it is needed. */
  async next(): Promise<LiveServer> {
    const server = await this.#spare;
    this.#spare = LiveServer.start(this.#t, this.folder);
    this.#spare.catch(() => {});
    server.answers("item/commandExecution/requestApproval", () => (this.isAnswering ? { decision: "accept" } : undefined));
    this.live.push(server);
    this.all.push(server);
    return server;
  }

  async holder(): Promise<LiveServer> {
    let found: LiveServer | undefined;
    await eventually(() => {
      const pid = heldBy(this.folder, this.threadId);
      found = this.live.find((server) => server.child.pid === pid);
      return found !== undefined;
    }, "that one of them runs the thread");
    return found ?? assert.fail();
  }

  async kill(holder: LiveServer): Promise<void> {
    this.live.splice(this.live.indexOf(holder), 1);
    const before = new Map(this.live.map((server) => [server, moves(server)]));
    await holder.kill();
    for (const server of this.live)
      await server.until(() => moves(server) > (before.get(server) ?? 0) || undefined, "that another process goes on with the thread");
  }
}

function heldBy(folder: string, threadId: string): unknown {
  try {
    return JSON.parse(readFileSync(path.join(home(folder), "parley", "locks", `${threadId}.json`), "utf8")).pid;
  } catch {
    return undefined; // between two processes
  }
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] ?? assert.fail("nothing to choose from");

/** Starts a turn, and kills the process that runs it in the middle; then the turn ends, and what is asked until then is answered. */
async function round(here: Home, text: string): Promise<void> {
  const { threadId, live } = here;
  here.isAnswering = false;
  const holder = await here.holder();
  const starter = pick(live);
  const asked = new Map(live.map((server) => [server, questionsOf(server).length]));
  const started = starter.ask("turn/start", { threadId, input: [{ type: "text", text }] }).catch(() => undefined);
  const isNew = (server: LiveServer): Message | undefined => questionsOf(server)[asked.get(server) ?? 0];
  const witness = pick(live.filter((server) => server !== holder));
  // A question is nearly always waited for: what becomes of it is the point.
  const waits = text.startsWith("ask") && Math.random() < 0.8;
  if (waits) await witness.until(() => isNew(witness), "the question");
  else await sleep(Math.random() * 80);
  const open = isNew(witness);
  await here.kill(holder);
  if (open !== undefined)
    for (const server of here.live) await server.until(() => isOpen(server, open.params.itemId) || undefined, "the question again");
  // All of them answer what is asked from here on; the first answer counts.
  here.isAnswering = true;
  for (const server of here.live)
    for (const question of questionsOf(server)) server.send({ id: question.id, result: { decision: "accept" } });
  const answer = starter === holder ? undefined : await started;
  const announced = here.live.flatMap((server) =>
    server.messages.filter((m) => m.method === "turn/started" && m.params.threadId === threadId).map((m) => m.params.turn.id),
  );
  const wanted = new Set([...announced, ...(answer?.result === undefined ? [] : [answer.result.turn.id])]);
  for (const server of here.live) {
    const seen = new Set(server.messages.filter((m) => m.method === "turn/started").map((m) => m.params.turn.id));
    for (const turnId of wanted) if (seen.has(turnId)) await server.turnEnd(turnId);
  }
}

verifiesLive(
  "live.holdersKilled",
  async (t) => {
    const here = new Home(t);
    const first = await here.next();
    here.threadId = await first.startThread({ ...settings(here.folder), sandbox: "read-only", approvalPolicy: "untrusted" });
    await first.turn(here.threadId, "hello");
    while (here.live.length < followers) await (await here.next()).call("thread/resume", { threadId: here.threadId });
    for (let i = 0; i < kills; i++) {
      await round(here, `${pick(["ask", "ask", "work", "talk"])} ${i}`);
      while (here.live.length < followers) await (await here.next()).call("thread/resume", { threadId: here.threadId });
    }
    await checkKept(here);
  },
  { timeout: 1_800_000 },
);

/** Everything that any process announced is what a new process reads, and nobody was told of the same end twice. */
async function checkKept({ all, threadId }: Home): Promise<void> {
  const reader = all.at(-1) ?? assert.fail();
  const { thread } = await reader.call("thread/read", { threadId, includeTurns: true });
  const stored = new Map<string, Message>(thread.turns.flatMap((turn: Message) => turn.items.map((item: Message) => [item.id, item])));
  const ends = new Map<string, string>(thread.turns.map((turn: Message) => [turn.id, turn.status]));
  for (const server of all) {
    const of = (method: string): Message[] => server.messages.filter((m) => m.method === method && m.params.threadId === threadId);
    const told = of("item/completed").map((m) => m.params.item);
    for (const item of told) {
      assert.ok(stored.has(item.id), `item ${item.id} (${item.type}) was announced and is lost`);
      if (item.type === "agentMessage") assert.equal(stored.get(item.id)?.text, item.text);
    }
    const ids = told.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
      "the same end was announced twice",
    );
    for (const { params } of of("turn/completed")) assert.equal(ends.get(params.turn.id), params.turn.status, "a turn's end");
  }
}
