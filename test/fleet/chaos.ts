/**
 * A fleet under random kills, with its promises checked from outside: `node test/fleet/chaos.ts [--threads 200] [--workers 5] [--seconds 120]
 * [--seed N]`. Workers, fronts and the engine are killed, workers also stopped for a while or drained, while clients run turns with commands
 * and questions. Ends with `N passed, M failed`, a promise each.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { errorMessage } from "../../src/lib/error-text.ts";
import type { Ending } from "../support/ending.ts";
import { noPostgres } from "../support/postgres.ts";
import type { Message } from "../support/wire.ts";
import { checkAnswer, checkDrains, checkLog, checkStored, checkTeam, type Fate, type Told } from "./chaos-checks.ts";
import { breaks, broken, logTo, note, promises } from "./chaos-findings.ts";
import { type FleetClient, type FleetFront, type FleetProcess, FleetStage } from "./stage.ts";

const { values: flags } = parseArgs({
  options: {
    threads: { type: "string", default: "200" },
    workers: { type: "string", default: "5" },
    seconds: { type: "string", default: "120" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** What happens, for those who look for a cause: `drain` alone, for example. */
    kinds: { type: "string", default: "worker,worker,worker,front,engine,stop,drain" },
    /** Writes what happened, for those who look for a cause. */
    log: { type: "string" },
  },
});
const threadCount = Number(flags.threads);
const workerCount = Number(flags.workers);
const seconds = Number(flags.seconds);
const threadsPerPerson = 10;
/**
 * A turn that takes longer than this hangs. A question waits for its client, which may be between two fronts for a while; the promised five
 * seconds are measured apart, on a machine that does nothing else.
 */
const hangMs = 180_000;
logTo(flags.log);
const asks = "item/commandExecution/requestApproval";
const silent = ["item/agentMessage/delta", "item/commandExecution/outputDelta", "thread/tokenUsage/updated"];

/** Mulberry32: the same kills for the same seed, as far as processes allow. */
let state = Number(flags.seed) | 0;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const between = (low: number, high: number): number => low + random() * (high - low);
const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

/** The teams of all threads, as they were started. */
const teamOf = new Map<string, string>();
/** How long it took until clients were told. */
const tookMs: number[] = [];
/** Five seconds are promised where the machine does nothing else (docs/performance.md); here the engine may be away meanwhile, too. */
const toldMs = 60_000;

/** Where a thread is, for those who look for a cause. */
let whereIs: (threadId: string) => Promise<string> = async () => "";

/** One client with some threads, which comes back at another front when its own dies. */
class Person {
  readonly threads: Told[] = [];
  readonly #fronts: readonly { front: FleetFront }[];
  readonly #token: string;
  #client: Promise<FleetClient>;
  #isOver = false;
  readonly team: string;
  /** The connection, once all threads are followed through it. */
  #follows: FleetClient | undefined;
  /** When each thread was last told to have moved. */
  readonly #movedAt = new Map<string, number>();
  connections = 0;
  answered = 0;

  constructor(fronts: readonly { front: FleetFront }[], team: string, token: string) {
    this.#fronts = fronts;
    this.team = team;
    this.#token = token;
    this.#client = this.#connect();
  }

  async #connect(): Promise<FleetClient> {
    for (let left = 200; left > 0; left--) {
      try {
        const client = await oneOf(this.#fronts)?.front.client(this.#token, { optOut: silent });
        if (client === undefined) continue;
        this.connections++;
        for (const told of this.threads) await this.#resume(client, told);
        this.#follow(client);
        this.#follows = client;
        return client;
      } catch (error) {
        note(`a client does not get in: ${errorMessage(error).slice(0, 200)}`);
        await sleep(100);
      }
    }
    throw new Error("no front lets this client in");
  }

  async #resume(client: FleetClient, told: Told): Promise<void> {
    const asked = performance.now();
    checkAnswer(told, (await client.call("thread/resume", { threadId: told.threadId })).thread.turns);
    const tookSeconds = (performance.now() - asked) / 1000;
    if (tookSeconds > 5) note(`thread/resume took ${tookSeconds.toFixed(1)} s: ${await whereIs(told.threadId).catch(errorMessage)}`);
  }

  /** Reads everything of a connection, answers its questions, and opens the next one when it ends. */
  #follow(client: FleetClient): void {
    let seen = 0;
    const once = new Set<string>();
    const questions = new Set<string>();
    const read = (): void => {
      for (; seen < client.messages.length; seen++) this.#read(client, client.messages[seen], { once, questions });
    };
    const timer = setInterval(read, 20);
    client.closed.then(
      () => {
        clearInterval(timer);
        read();
        this.#follows = undefined;
        if (!this.#isOver) this.#client = this.#connect();
      },
      () => {},
    );
  }

  #read(
    client: FleetClient,
    { id, method, params }: Message,
    heard: { readonly once: Set<string>; readonly questions: Set<string> },
  ): void {
    const told = this.threads.find(({ threadId }) => threadId === params?.threadId);
    const team = teamOf.get(params?.threadId ?? params?.thread?.id);
    if (team !== undefined && team !== this.team) breaks("P9 no team learns anything of another", `${method} of ${params?.threadId}`);
    if (told === undefined) return;
    if (method === "fleet/threadMoved") this.#movedAt.set(told.threadId, performance.now());
    const tellOnce = (what: string): void => {
      if (heard.once.has(what)) breaks("P8 nothing durable is told twice on a connection", `${told.threadId} ${what}`);
      heard.once.add(what);
    };
    if (method === "item/completed") {
      // The scripted model counts the ids of its calls in each process: a turn that goes on at another worker may have one twice.
      if (params.item.type !== "commandExecution" || !told.asksFirst) tellOnce(`item ${params.turnId} ${params.item.id}`);
      told.items.set(`${params.turnId} ${params.item.id}`, String(params.item.text ?? params.item.status ?? ""));
    } else if (method === "turn/completed") {
      tellOnce(`turn ${params.turn.id}`);
      const before = told.turns.get(params.turn.id);
      if (before !== undefined && before !== params.turn.status)
        breaks("P4 every turn ends, once", `${told.threadId} ${params.turn.id}: ${before}, then ${params.turn.status}`);
      told.turns.set(params.turn.id, params.turn.status);
      if (params.turn.status === "failed")
        breaks("P4 every turn ends, once", `${told.threadId} ${params.turn.id} failed: ${JSON.stringify(params.turn.error)}`);
    } else if (method === asks && !heard.questions.has(String(id))) {
      heard.questions.add(String(id));
      setTimeout(
        () => {
          this.answered++;
          client.send({ id, result: { decision: "accept" } });
        },
        between(0, 1500),
      );
    }
  }

  async open(settings: object, asksFirst: boolean): Promise<void> {
    const client = await this.#client;
    const threadId = await client.startThread(settings);
    teamOf.set(threadId, this.team);
    this.threads.push({ threadId, asksFirst, items: new Map(), turns: new Map(), begun: new Set() });
  }

  /** Turn after turn until the time is up. */
  async drive(told: Told, until: number): Promise<void> {
    for (let n = 0; performance.now() < until; n++) {
      const kind = random() < 0.5 ? "run" : "say";
      await this.#turn(told, `${kind} ${told.threadId.slice(-8)}-${n}`).catch((error: unknown) =>
        note(`${told.threadId}: ${errorMessage(error)}`),
      );
      await sleep(between(200, 1500));
    }
  }

  async #turn(told: Told, text: string): Promise<void> {
    const client = await this.#client;
    const params = { threadId: told.threadId, input: [{ type: "text", text }] };
    const asked = client.ask("turn/start", params, hangMs).catch((error: unknown) => ({ error: { message: errorMessage(error) } }));
    const answer: Message = await Promise.race([asked, client.closed.then(() => ({ error: { message: "the front has gone" } }))]);
    if (answer.error !== undefined) return note(`turn/start: ${JSON.stringify(answer.error).slice(0, 200)}`);
    const turnId: string = answer.result.turn.id;
    told.begun.add(turnId);
    const end = performance.now() + hangMs;
    while (!told.turns.has(turnId)) {
      if (performance.now() > end) return this.#hasNoEnd(told, `${turnId} (${text})`);
      await sleep(50);
      // It may have ended while this client was between two fronts.
      if ((await this.#client) !== client) return void (await this.#readEnd(told, turnId, end));
    }
  }

  async #readEnd(told: Told, turnId: string, end: number): Promise<void> {
    while (!told.turns.has(turnId)) {
      const { thread } = await (await this.#client).call("thread/read", { threadId: told.threadId, includeTurns: true });
      const turn = thread.turns.find(({ id }: Message) => id === turnId);
      if (turn === undefined) return breaks("P1 what was told is stored", `${told.threadId}: turn ${turnId} was answered and is not there`);
      if (turn.status !== "inProgress") return void told.turns.set(turnId, turn.status);
      if (performance.now() > end) return this.#hasNoEnd(told, `${turnId} (read)`);
      await sleep(200);
    }
  }

  async #hasNoEnd(told: Told, turn: string): Promise<void> {
    const where = await whereIs(told.threadId).catch(errorMessage);
    const asked = told.asksFirst ? "asks" : "does not ask";
    breaks("P4 every turn ends, once", `${told.threadId} ${turn} has no end; it ${asked}; ${where}`);
  }

  /** Whether a thread's worker that was lost just now is noticed: clients are told where the thread goes on. */
  async toldOfMove(threadId: string): Promise<void> {
    const [lostAt, client] = [performance.now(), this.#follows];
    if (client === undefined || !this.threads.some((told) => told.threadId === threadId)) return;
    while ((this.#movedAt.get(threadId) ?? 0) < lostAt) {
      await sleep(50);
      if (this.#follows !== client || this.#isOver) return;
      if (performance.now() - lostAt < toldMs) continue;
      return breaks("P3 clients are told of a lost worker", `${threadId}: ${await whereIs(threadId).catch(errorMessage)}`);
    }
    tookMs.push((this.#movedAt.get(threadId) ?? 0) - lostAt);
  }

  /** Another team's thread is for this client as one that does not exist. */
  async looksAt(foreign: string): Promise<void> {
    await checkTeam(await this.#client, { team: this.team, foreign, teamOf });
  }

  leave(): void {
    this.#isOver = true;
  }
}

const isKind = (name: string): name is "worker" | "front" | "engine" | "stop" | "drain" =>
  ["worker", "front", "engine", "stop", "drain"].includes(name);

/** What happens to the fleet, one thing after another. */
class Trouble {
  readonly counts: Record<string, number> = {};
  readonly #stage: FleetStage;
  readonly #workers: Map<string, FleetProcess>;
  readonly #fronts: { front: FleetFront }[];
  readonly #returning: Promise<void>[] = [];
  readonly #people: readonly Person[];
  /** What happened to which worker when, by the clock that the engine has too. */
  readonly fates: Fate[] = [];

  constructor(
    stage: FleetStage,
    workers: Map<string, FleetProcess>,
    { fronts, people }: { readonly fronts: { front: FleetFront }[]; readonly people: readonly Person[] },
  ) {
    this.#people = people;
    this.#stage = stage;
    this.#workers = workers;
    this.#fronts = fronts;
  }

  async make(until: number): Promise<void> {
    const kinds = flags.kinds.split(",").filter((kind) => isKind(kind));
    while (performance.now() < until) {
      const kind = oneOf(kinds) ?? "worker";
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      await this[kind]();
      await sleep(between(300, 2000));
    }
    await Promise.all(this.#returning);
  }

  /** At least two stay, so that there is somebody to take over. */
  #victim(): string | undefined {
    return this.#workers.size <= 2 ? undefined : oneOf([...this.#workers.keys()]);
  }
  #comesBack(name: string): void {
    const back = async (): Promise<void> => {
      await sleep(between(200, 1500));
      for (let left = 20; left > 0; left--)
        try {
          this.#workers.set(name, await this.#stage.worker(name));
          return;
        } catch (error) {
          note(`${name} does not start: ${errorMessage(error).slice(0, 300)}`);
          await sleep(300);
        }
      breaks("P10 no process had to be restarted by hand", `${name} did not come back`);
    };
    this.#returning.push(back());
  }

  async worker(): Promise<void> {
    const name = this.#victim();
    if (name === undefined) return;
    note(`kill ${name}`);
    const killed = this.#workers.get(name);
    this.#workers.delete(name);
    this.fates.push({ name, kind: "killed", atMs: Date.now() });
    const held = await this.#stage.engine.query<{ id: string }>("select id from parley.threads where holder = $1", [name]).catch(() => []);
    await killed?.kill();
    for (const { id } of held) for (const person of this.#people) this.#returning.push(person.toldOfMove(id));
    this.#comesBack(name);
  }
  async stop(): Promise<void> {
    const name = this.#victim();
    const stopped = name === undefined ? undefined : this.#workers.get(name);
    if (name === undefined || stopped === undefined) return;
    note(`stop ${name}`);
    this.#workers.delete(name);
    this.fates.push({ name, kind: "stopped", atMs: Date.now() });
    stopped.signal("SIGSTOP");
    const wake = async (): Promise<void> => {
      await sleep(between(500, 6000));
      note(`wake ${name}`);
      stopped.signal("SIGCONT");
      this.#workers.set(name, stopped);
    };
    this.#returning.push(wake());
  }
  async drain(): Promise<void> {
    const name = this.#victim();
    const drained = name === undefined ? undefined : this.#workers.get(name);
    if (name === undefined || drained === undefined) return;
    note(`drain ${name}`);
    this.#workers.delete(name);
    this.fates.push({ name, kind: "drained", atMs: Date.now() });
    drained.signal("SIGTERM");
    const gone = async (): Promise<void> => {
      const code = await Promise.race([drained.ended, sleep(hangMs, "hangs" as const)]);
      if (code !== 0) breaks("P10 no process had to be restarted by hand", `${name} was drained and ended with ${code}`);
      if (code === "hangs") await drained.kill();
      this.#comesBack(name);
    };
    this.#returning.push(gone());
  }
  async front(): Promise<void> {
    const place = oneOf(this.#fronts);
    if (place === undefined) return;
    note(`kill ${place.front.process.name}`);
    await place.front.process.kill();
    place.front = await this.#stage.front();
  }
  async engine(): Promise<void> {
    note("kill the engine");
    await this.#stage.postgres.kill();
    await sleep(between(0, 1000));
    await this.#stage.postgres.up();
  }
}

/** Each team asks for threads of the other all the time. */
async function look(people: readonly Person[], until: number): Promise<void> {
  while (performance.now() < until) {
    const person = oneOf(people);
    const foreign = oneOf([...teamOf].filter(([, team]) => team !== person?.team));
    if (person !== undefined && foreign !== undefined)
      await person.looksAt(foreign[0]).catch((error: unknown) => note(errorMessage(error)));
    await sleep(500);
  }
}

async function main(t: Ending): Promise<void> {
  const ledger = "ledger";
  const turns = [
    { user: "/^run /", steps: [{ run: `echo '{{user}}' >> ${ledger}` }, { say: "Ran {{user}}." }] },
    { user: "/./", steps: [{ reason: "Thinking." }, { say: "You said {{user}}.", deltas: 4 }] },
  ];
  const stage = await FleetStage.start(t, turns);
  mkdirSync(stage.workspace, { recursive: true });
  whereIs = async (threadId) => {
    const rows = await stage.engine.query(
      `select holder, epoch, seq, state, moved, (select string_agg(kind, ' ' order by seq) from (select kind, seq from parley.log
         where thread = t.id order by seq desc limit 6) l) as last, (select count(*) from parley.questions where thread = t.id) as questions
       from parley.threads t where id = $1`,
      [threadId],
    );
    for (const { name, output } of workers.values()) note(`${name} said: ${output.slice(-2000)}`);
    return JSON.stringify(rows);
  };
  writeFileSync(path.join(stage.workspace, ledger), "");
  const names = Array.from({ length: workerCount }, (_, i) => `w${i + 1}`);
  const workers = new Map((await stage.workers(...names)).map((worker) => [worker.name, worker]));
  const fronts = [{ front: await stage.front() }, { front: await stage.front() }];
  const tokens = { a: await stage.token(), b: await stage.token({ team: "b", user: "bob" }) };
  const people = Array.from({ length: Math.ceil(threadCount / threadsPerPerson) }, (_, i) =>
    i % 4 === 3 ? new Person(fronts, "b", tokens.b) : new Person(fronts, "a", tokens.a),
  );
  for (let i = 0; i < threadCount; i++) {
    const asksFirst = i % 5 === 0;
    await people[i % people.length]?.open(stage.settings(asksFirst ? { approvalPolicy: "untrusted" } : {}), asksFirst);
  }
  console.log(`seed ${flags.seed}: ${threadCount} threads on ${workerCount} workers behind 2 fronts, ${seconds} s`);
  const until = performance.now() + seconds * 1000;
  const trouble = new Trouble(stage, workers, { fronts, people });
  await Promise.all([
    trouble.make(until),
    look(people, until),
    ...people.flatMap((person) => person.threads.map((told) => person.drive(told, until))),
  ]);
  for (const person of people) person.leave();
  const readers = await Promise.all(
    (["a", "b"] as const).map((team) => Promise.all(fronts.map(({ front }) => front.client(tokens[team], { optOut: silent })))),
  );
  const lines = readFileSync(path.join(stage.workspace, ledger), "utf8").split("\n").filter(Boolean);
  for (const [i, told] of people.flatMap(({ threads }) => threads).entries()) {
    const reader = readers[teamOf.get(told.threadId) === "b" ? 1 : 0]?.[i % 2];
    if (reader !== undefined) await checkStored(reader, told, lines);
  }
  const asking = people.flatMap(({ threads }) => threads.flatMap(({ threadId, asksFirst }) => (asksFirst ? [threadId] : [])));
  await checkDrains(stage, trouble.fates, new Set(asking));
  const { records } = await checkLog(stage);
  const all = people.flatMap(({ threads }) => threads);
  const ends = all.flatMap(({ turns: ended }) => [...ended.values()]);
  const asked = all.filter(({ asksFirst }) => asksFirst);
  if (asked.some(({ turns: ended }) => ended.size > 0) && people.every(({ answered }) => answered === 0))
    breaks("P5 questions are answered and count", "nobody was asked anything");
  const counted = Object.entries(Object.groupBy(ends, (status) => status)).map(([status, each]) => `${each?.length} ${status}`);
  console.log(
    `happened: ${JSON.stringify(trouble.counts)}; turns: ${counted.join(", ")}; ${lines.length} commands ran; ${records} records`,
  );
  console.log(
    `questions answered: ${people.reduce((n, { answered }) => n + answered, 0)}; connections: ${people.reduce((n, p) => n + p.connections, 0)}; told of a killed worker: ${tookMs.length} times, median ${Math.round(median(tookMs))} ms, latest ${Math.round(Math.max(0, ...tookMs))} ms`,
  );
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

if (noPostgres !== false) {
  console.log(`skipped the fleet under random kills: ${noPostgres}`);
  console.log("0 passed, 0 failed");
} else {
  const steps: (() => unknown)[] = [];
  try {
    await main({ after: (step) => void steps.push(step) });
  } catch (error) {
    breaks("P10 no process had to be restarted by hand", error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    for (const step of steps.toReversed()) await Promise.resolve(step()).catch(() => {});
  }
  for (const [promise, how] of broken) console.log(`FAIL ${promise} (${how.length}):\n  ${how.slice(0, 5).join("\n  ")}`);
  console.log(`${promises.length - broken.size} passed, ${broken.size} failed`);
  process.exit(broken.size === 0 ? 0 : 1);
}
