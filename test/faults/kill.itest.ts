/** kill -9 at random moments of busy turns: nothing announced is lost, every thread opens and can continue, and nothing is left running. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { errorMessage } from "../../src/lib/error-text.ts";
import { eventually, LiveServer, processesWith, rolloutsOf } from "../support/live-server.ts";
import { scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";

/** docs/reliability.md has the figures of a run with 200. */
const kills = Number(process.env["PARLEY_KILLS"] ?? 60);
const atATime = 2;
/** A thread is killed this many times before the next one is started. */
const killsPerThread = 10;
const mark = `parley-kill-${process.pid}`;

/** Reasoning, a plan, parallel commands, a patch, one slow command, and an answer in many pieces. */
const busyTurn = [
  { reason: ["**First** thoughts", "and second ones"] },
  { plan: ["look", { step: "change", status: "in_progress" }] },
  { run: "echo one; echo two" },
  { run: `echo ${mark}; seq 1 300` },
  { say: "I have looked.", phase: "commentary" },
  { patch: "*** Begin Patch\n*** Add File: {{user}}.txt\n+a line\n+ünd noch eine\n*** End Patch" },
  { run: `cat '{{user}}.txt'; sleep 0.03 # ${mark}` },
  { say: `The whole story. ${"Many words of it. ".repeat(60)}`, deltas: 60 },
];

/** Reproducible: a failure names its seed. */
const seed = Number(process.env["PARLEY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
function randomFrom(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a client read before the server died. */
interface Announced {
  readonly threadId: string;
  readonly turnId: string;
  readonly text: string;
  readonly items: readonly Message[];
  readonly status: string | undefined;
}

function announcedBy(server: LiveServer, threadId: string, text: string): Announced | undefined {
  const turnId = server.messages.find((m) => m.result?.turn?.status === "inProgress")?.result.turn.id;
  if (turnId === undefined) return undefined;
  const of = (method: string): Message[] => server.messages.filter((m) => m.method === method && m.params.threadId === threadId);
  return {
    threadId,
    turnId,
    text,
    items: of("item/completed").map((m) => m.params.item),
    status: of("turn/completed").find((m) => m.params.turn.id === turnId)?.params.turn.status,
  };
}

/** Checks that everything announced is in the turns that a new server returns. */
function checkKept(turns: readonly Message[], announced: Announced): void {
  const turn = turns.find((candidate) => candidate.id === announced.turnId);
  assert.ok(turn, `turn ${announced.turnId} was accepted and is lost`);
  assert.ok(
    turn.items.some((item: Message) => item.type === "userMessage" && item.content[0].text === announced.text),
    "the user's message is lost",
  );
  for (const item of announced.items) {
    const kept = turn.items.find((candidate: Message) => candidate.id === item.id && candidate.type === item.type);
    assert.deepEqual(kept, item, `${item.type} ${item.id} was announced and is not the same any more`);
  }
  assert.equal(turn.status, announced.status ?? turn.status);
  assert.notEqual(turn.status, "inProgress");
}

/** Lines that are not JSON. An interrupted write leaves one at the end, and the next append does not touch it. */
function brokenLines(file: string): { broken: number; isTorn: boolean } {
  const lines = readFileSync(file, "utf8").split("\n");
  const last = lines.pop() ?? "";
  const broken = lines.filter((line) => !isJson(line)).length;
  return { broken, isTorn: last !== "" };
}
function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

class Victim {
  readonly #t: TestContext;
  readonly #folder: string;
  readonly #random: () => number;
  readonly #announced: Announced[] = [];
  readonly #torn = new Map<string, number>();
  #threadId: string | undefined;
  #turnMs = 500;
  killed = 0;
  killedInTurn = 0;
  items = 0;

  constructor(t: TestContext, folder: string, random: () => number) {
    this.#t = t;
    this.#folder = folder;
    this.#random = random;
  }
  get home(): string {
    return path.join(this.#folder, "home");
  }

  async round(): Promise<void> {
    if (this.killed % killsPerThread === 0) this.#threadId = undefined;
    const server = await LiveServer.start(this.#t, this.#folder);
    const threadId = await this.#open(server);
    this.#threadId = threadId;
    const text = `round-${this.killed}`;
    const before = server.messages.length;
    server.send({ id: "turn", method: "turn/start", params: { threadId, input: [{ type: "text", text }] } });
    await this.#moment(server, before);
    await server.kill();
    this.killed++;
    const announced = announcedBy(server, threadId, text);
    if (announced === undefined) return;
    this.#announced.push(announced);
    this.items += announced.items.length;
    if (announced.status === undefined) this.killedInTurn++;
    for (const file of rolloutsOf(this.home)) this.#checkFile(file);
  }

  /** A new thread, or the old one after checking everything announced in it. */
  async #open(server: LiveServer): Promise<string> {
    // Every other thread has full access: there the server must end the commands itself, without a sandbox that dies with it.
    const sandbox = Math.floor(this.killed / killsPerThread) % 2 === 0 ? "workspace-write" : "danger-full-access";
    const settings = { cwd: path.join(this.#folder, "workspace"), sandbox, approvalPolicy: "never" };
    const old = this.#threadId;
    const stored = this.#announced.filter((announced) => announced.threadId === old);
    if (old === undefined || stored.length === 0) return await server.startThread(settings);
    const { thread } = await server.call("thread/resume", { threadId: old, ...settings });
    for (const announced of stored) checkKept(thread.turns, announced);
    return old;
  }

  /** Half of the kills come after a number of messages, half after a delay; most of the latter once the turn has been accepted. */
  async #moment(server: LiveServer, before: number): Promise<void> {
    const share = this.#random();
    const began = performance.now();
    const over = (): boolean => server.messages.some((m) => m.method === "turn/completed");
    if (this.#random() < 0.5) {
      const count = before + 1 + Math.floor(share * 110);
      return server
        .until(() => (over() || server.messages.length >= count ? true : undefined), "the moment")
        .then(() => {
          if (over()) this.#turnMs = performance.now() - began;
        });
    }
    if (this.#random() < 0.8) await server.waitFor((m) => m.id === "turn", "the answer");
    await new Promise((resolve) => setTimeout(resolve, share * this.#turnMs * 1.1));
  }

  #checkFile(file: string): void {
    const { broken, isTorn } = brokenLines(file);
    const torn = this.#torn.get(file) ?? 0;
    assert.ok(broken <= torn, `${broken} broken lines in the middle of ${file} after ${torn} writes that were cut off`);
    this.#torn.set(file, broken + (isTorn ? 1 : 0));
  }

  /** After all kills: every thread opens with everything announced, and can continue. */
  async epilogue(): Promise<void> {
    const server = await LiveServer.start(this.#t, this.#folder);
    const ids = new Set(this.#announced.map((announced) => announced.threadId));
    const { data } = await server.call("thread/list", { limit: 100 });
    // A thread whose message was stored may exist although the kill came before its turn was announced.
    assert.deepEqual(ids.difference(new Set(data.map((thread: Message) => thread.id))), new Set(), "every announced thread is listed");
    for (const threadId of ids) {
      const { thread } = await server.call("thread/resume", { threadId, sandbox: "workspace-write", approvalPolicy: "never" });
      for (const announced of this.#announced.filter((one) => one.threadId === threadId)) checkKept(thread.turns, announced);
      const turn = await server.turn(threadId, `epilogue-${threadId}`);
      assert.equal(turn.status, "completed", JSON.stringify(turn.error));
    }
    await server.stop();
  }
}

test(`nothing that was announced is lost in ${kills} kills, and every thread can continue`, { timeout: 900_000 }, async (t) => {
  const random = randomFrom(seed);
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const victims = await Promise.all(
    Array.from({ length: atATime }, async (_, i) => {
      const folder = path.join(scratch(t), String(i));
      const home = path.join(folder, "home");
      mkdirSync(path.join(folder, "workspace"), { recursive: true });
      mkdirSync(home);
      writeFileSync(path.join(home, "scenario.json"), JSON.stringify({ pace: 1, turns: [{ user: "/./", steps: busyTurn }] }));
      const provider = `[model_providers.script]\nname = "Script"\nwire_api = "scripted"\noptions = { scenario = "scenario.json" }\n`;
      writeFileSync(path.join(home, "config.toml"), `model = "scripted"\nmodel_provider = "script"\n${provider}`);
      const victim = new Victim(t, folder, random);
      while (victim.killed < kills / atATime)
        await victim.round().catch((error: unknown) => {
          throw new Error(`PARLEY_SEED=${seed}, kill ${victim.killed}: ${errorMessage(error)}`, {
            cause: error,
          });
        });
      await victim.epilogue();
      return victim;
    }),
  );
  const sum = (of: (victim: Victim) => number): number => victims.reduce((n, victim) => n + of(victim), 0);
  t.diagnostic(
    `${sum((v) => v.killed)} kills, ${sum((v) => v.killedInTurn)} within a turn, ${sum((v) => v.items)} items were announced before them`,
  );
  assert.ok(sum((v) => v.killedInTurn) > kills / 2, "too few kills hit a running turn");
  await eventually(() => processesWith(mark).length === 0, "the end of every command");
});
