/**
 * A fleet under random kills, with its promises checked from outside: `node test/fleet/chaos.ts [--threads 200] [--workers 5] [--seconds 120]
 * [--kills N] [--seed N] [--kinds worker,…] [--log FILE]`. Workers, fronts and the engine are killed, workers and fronts also stopped for a
 * while, workers drained, while clients run turns with commands and questions. Ends with `N passed, M failed`, a promise each.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { errorMessage } from "../../src/lib/error-text.ts";
import type { Ending } from "../support/ending.ts";
import { noPostgres } from "../support/postgres.ts";
import { checkInterrupted, checkLog, checkStored } from "./chaos-checks.ts";
import { oneOf, seed } from "./chaos-dice.ts";
import { breaks, broken, logTo, note, promises } from "./chaos-findings.ts";
import { Person, silent, type World } from "./chaos-person.ts";
import { kindsIn, type Place, Trouble } from "./chaos-trouble.ts";
import { type FleetClient, FleetStage } from "./stage.ts";

const { values: flags } = parseArgs({
  options: {
    threads: { type: "string", default: "200" },
    workers: { type: "string", default: "5" },
    seconds: { type: "string", default: "120" },
    /** Goes on until so many processes were killed, however long it takes, with shorter pauses between. */
    kills: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** What happens, for those who look for a cause: `drain` alone, for example. */
    kinds: { type: "string", default: "worker,worker,worker,front,engine,stop,drain,hang" },
    /** Writes what happened, for those who look for a cause. */
    log: { type: "string" },
  },
});
const threadCount = Number(flags.threads);
const workerCount = Number(flags.workers);
const threadsPerPerson = 10;
const seconds = Number(flags.seconds);
const kills = flags.kills === undefined ? undefined : Number(flags.kills);
logTo(flags.log);
seed(Number(flags.seed));

const ledger = "ledger";
const turns = [
  { user: "/^run /", steps: [{ run: `echo '{{user}}' >> ${ledger}` }, { say: "Ran {{user}}." }] },
  { user: "/./", steps: [{ reason: "Thinking." }, { say: "You said {{user}}.", deltas: 4 }] },
];

async function whereIs(stage: FleetStage, threadId: string): Promise<string> {
  const rows = await stage.engine.query(
    `select holder, epoch, seq, state, moved, (select string_agg(kind, ' ' order by seq) from (select kind, seq from parley.log
       where thread = t.id order by seq desc limit 6) l) as last,
       (select string_agg(found[1], ' ') from parley.questions, regexp_matches(lines, '^\\{"type":"(\\w+)"', 'gn') as found
       where thread = t.id) as questions
     from parley.threads t where id = $1`,
    [threadId],
  );
  return JSON.stringify(rows);
}

/** Each team asks for threads of the other all the time. */
async function look(people: readonly Person[], teamOf: ReadonlyMap<string, string>, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    const person = oneOf(people);
    const foreign = oneOf([...teamOf].filter(([, team]) => team !== person?.team));
    if (person !== undefined && foreign !== undefined)
      await person.looksAt(foreign[0]).catch((error: unknown) => note(errorMessage(error)));
    await sleep(500);
  }
}

async function openThreads(stage: FleetStage, people: readonly Person[]): Promise<void> {
  await Promise.all(
    people.map(async (person, i) => {
      for (let at = i; at < threadCount; at += people.length) {
        const asksFirst = Math.floor(at / people.length) % 5 === 0;
        await person.open(stage.settings(asksFirst ? { approvalPolicy: "untrusted" } : {}), asksFirst);
      }
    }),
  );
}

/** What was told, against what each front reads; several at a time. */
async function checkAll(
  people: readonly Person[],
  readers: ReadonlyMap<string, readonly FleetClient[]>,
  ran: readonly string[],
): Promise<void> {
  const left = people.flatMap(({ team, threads }) => threads.map((told) => ({ team, told })));
  const counts = new Map<string, number>();
  for (const line of ran) counts.set(line, (counts.get(line) ?? 0) + 1);
  const some = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const reader = readers.get(next.team)?.[left.length % 2];
      if (reader !== undefined) await checkStored(reader, next.told, counts);
    }
  };
  await Promise.all(Array.from({ length: 8 }, some));
}

async function main(t: Ending): Promise<void> {
  const began = performance.now();
  const stage = await FleetStage.start(t, turns);
  mkdirSync(stage.workspace, { recursive: true });
  writeFileSync(path.join(stage.workspace, ledger), "");
  const names = Array.from({ length: workerCount }, (_, i) => `w${i + 1}`);
  const [started, ...fronts] = await Promise.all([stage.workers(...names), stage.front(), stage.front()]);
  const workers = new Map(started.map((worker) => [worker.name, worker]));
  const places: Place[] = fronts.map((front) => ({ front }));
  const tokens = { a: await stage.token(), b: await stage.token({ team: "b", user: "bob" }) };
  const world: World = { fronts: places, teamOf: new Map(), tookMs: [], whereIs: (threadId) => whereIs(stage, threadId) };
  const people = Array.from({ length: Math.ceil(threadCount / threadsPerPerson) }, (_, i) =>
    i % 4 === 3 ? new Person(world, "b", tokens.b) : new Person(world, "a", tokens.a),
  );
  await openThreads(stage, people);
  const startedAt = performance.now();
  const length = kills === undefined ? `${seconds} s` : `${kills} kills`;
  console.log(`seed ${flags.seed}: ${threadCount} threads on ${workerCount} workers behind 2 fronts, ${length}`);
  const trouble = new Trouble({ stage, workers, places, people });
  const until = performance.now() + seconds * 1000;
  const goesOn = (): boolean => (kills === undefined ? performance.now() < until : trouble.kills < kills);
  await Promise.all([
    trouble.make(kindsIn(flags.kinds), goesOn, kills === undefined ? [300, 2000] : [100, 600]),
    look(people, world.teamOf, goesOn),
    ...people.flatMap((person) => person.threads.map((told) => person.drive(told, goesOn))),
  ]);
  const endedAt = performance.now();
  for (const person of people) person.leave();
  const readersOf = (token: string): Promise<FleetClient[]> =>
    Promise.all(places.map(({ front }) => front.client(token, { optOut: silent })));
  const readers = new Map([
    ["a", await readersOf(tokens.a)],
    ["b", await readersOf(tokens.b)],
  ]);
  const ran = readFileSync(path.join(stage.workspace, ledger), "utf8").split("\n").filter(Boolean);
  await checkAll(people, readers, ran);
  const all = people.flatMap(({ threads }) => threads);
  const asking = new Set(all.flatMap(({ threadId, asksFirst }) => (asksFirst ? [threadId] : [])));
  await checkInterrupted(stage, trouble.fates, asking);
  const { records } = await checkLog(stage);
  if (all.some(({ asksFirst, turns: ended }) => asksFirst && ended.size > 0) && people.every(({ answered }) => answered === 0))
    breaks("P5 questions are answered and count", "nobody was asked anything");
  report(people, trouble, { ran: ran.length, records, tookMs: world.tookMs });
  const parts = [startedAt - began, endedAt - startedAt, performance.now() - endedAt].map((ms) => Math.round(ms / 1000));
  console.log(`took ${parts[0]} s to start, ${parts[1]} s under kills until the last turn had ended, ${parts[2]} s to check`);
  if (flags.log !== undefined) for (const text of stage.logs()) note(text);
}

function report(
  people: readonly Person[],
  trouble: Trouble,
  { ran, records, tookMs }: { readonly ran: number; readonly records: number; readonly tookMs: readonly number[] },
): void {
  const ends = people.flatMap(({ threads }) => threads.flatMap(({ turns: ended }) => [...ended.values()]));
  const counted = Object.entries(Object.groupBy(ends, (status) => status)).map(([status, each]) => `${each?.length} ${status}`);
  const sum = (of: (person: Person) => number): number => people.reduce((total, person) => total + of(person), 0);
  const latest = Math.round(Math.max(0, ...tookMs));
  console.log(
    `happened: ${JSON.stringify(trouble.counts)}, ${trouble.kills} kills; turns: ${counted.join(", ")}; ${ran} commands ran; ${records} records`,
  );
  console.log(
    `questions answered: ${sum(({ answered }) => answered)}; connections: ${sum(({ connections }) => connections)}; told of a killed worker: ${tookMs.length} times, median ${Math.round(median(tookMs))} ms, latest ${latest} ms`,
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
