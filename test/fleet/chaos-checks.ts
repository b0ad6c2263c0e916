/** What test/fleet/chaos.ts compares: what clients were told, what fronts read, and what is in the engine. */
import type { Message } from "../support/wire.ts";
import { breaks } from "./chaos-findings.ts";
import type { FleetClient, FleetStage } from "./stage.ts";

/** What a client was told about a thread, on all its connections. */
export interface Told {
  readonly threadId: string;
  readonly asksFirst: boolean;
  readonly items: Map<string, string>;
  readonly turns: Map<string, string>;
  /** Turns whose start was answered. */
  readonly begun: Set<string>;
}

/** What happened to a worker's process, and until when it may show. */
export interface Fate {
  readonly name: string;
  readonly kind: "killed" | "stopped" | "drained";
  readonly fromMs: number;
  toMs: number;
}

const textOf = (item: Message): string => String(item["text"] ?? item["status"] ?? "");
const itemsOf = (turns: readonly Message[]): ReadonlyMap<string, Message> =>
  new Map(turns.flatMap((turn) => turn["items"].map((item: Message) => [`${turn["id"]} ${item["id"]}`, item] as const)));

/** Who comes back is shown everything that it was told before it asked. */
export function checkAnswer(threadId: string, before: readonly string[], turns: readonly Message[]): void {
  const items = itemsOf(turns);
  for (const key of before) if (!items.has(key)) breaks("P11 who comes back at another front misses nothing", `${threadId}: item ${key}`);
}

/** Everything that clients were told, against what a front reads from the store. `ledger`: how often each command ran. */
export async function checkStored(client: FleetClient, told: Told, ledger: ReadonlyMap<string, number>): Promise<void> {
  const { thread } = await client.call("thread/read", { threadId: told.threadId, includeTurns: true });
  const turns: readonly Message[] = thread.turns;
  const items = itemsOf(turns);
  for (const [key, text] of told.items) {
    const item = items.get(key);
    if (item === undefined) breaks("P1 what was told is stored", `${told.threadId}: item ${key} is gone`);
    else if (textOf(item) !== text) breaks("P1 what was told is stored", `${told.threadId}: item ${key} differs`);
  }
  for (const turnId of new Set([...told.begun, ...told.turns.keys()])) checkEnd(told, turnId, turns);
  for (const turn of turns) {
    const said = turn["items"].find(({ type }: Message) => type === "userMessage")?.content?.[0]?.text;
    const commands = turn["items"].filter(({ type }: Message) => type === "commandExecution").length;
    // A command that ran when its worker died has no item: its turn ends as interrupted. One that asks may go on at another worker, whose
    // scripted model begins its scenario anew and asks for the same once more.
    const lost = turn["status"] === "interrupted" ? 1 : 0;
    const most = told.asksFirst ? commands + lost : 1;
    const runs = ledger.get(said) ?? 0;
    if (runs > most) breaks("P6 no command runs twice", `${told.threadId}: "${said}" ran ${runs} times for ${commands} calls`);
  }
}

function checkEnd(told: Told, turnId: string, turns: readonly Message[]): void {
  const status = turns.find(({ id }) => id === turnId)?.["status"];
  if (status === undefined) breaks("P1 what was told is stored", `${told.threadId}: turn ${turnId} is gone`);
  else if (status === "inProgress") breaks("P4 every turn ends, once", `${told.threadId}: ${turnId} still runs`);
  else if ((told.turns.get(turnId) ?? status) !== status)
    breaks("P4 every turn ends, once", `${told.threadId}: ${turnId} was told as ${told.turns.get(turnId)} and is stored as ${status}`);
}

export async function checkLog(stage: FleetStage): Promise<{ readonly records: number }> {
  const gaps = await stage.engine.query<{ thread_id: string }>(
    "select thread_id from parley.v_log group by thread_id having count(*) <> max(seq) or min(seq) <> 1",
  );
  const falls = await stage.engine.query<{ thread_id: string }>(
    "select thread_id from (select thread_id, epoch, lag(epoch) over (partition by thread_id order by seq) as before from parley.v_log) l where epoch < before",
  );
  const writers = await stage.engine.query<{ thread_id: string }>(
    "select thread_id from parley.v_log group by thread_id, epoch having count(distinct worker) > 1",
  );
  for (const { thread_id } of [...gaps, ...falls, ...writers]) breaks("P2 one writer at a time, without gaps", thread_id);
  const zombies = await stage.engine.query<{ thread_id: string; worker: string }>(
    `with spans as (select thread_id, epoch, min(worker) as worker, min(at) as first, max(at) as last from parley.v_log group by thread_id, epoch)
     select thread_id, worker from (
       select thread_id, worker, last, lead(first) over (partition by thread_id order by epoch) as next from spans) s where last > next`,
  );
  for (const { thread_id, worker } of zombies) breaks("P7 a worker that wakes stores nothing", `${worker} in ${thread_id}`);
  const [count] = await stage.engine.query<{ n: string }>("select count(*) as n from parley.v_log");
  return { records: Number(count?.n ?? 0) };
}

/** What is said of a thread. Both kinds are asked of this client's own worker, and one that is killed meanwhile says nothing of them. */
async function answered(client: FleetClient, method: string, threadId: string): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    const { error, result } = await client.ask(method, { threadId });
    if (error?.data?.reason !== "fleet_moved" || tries === mostTries) return JSON.stringify(error ?? result);
  }
}
const mostTries = 5;

/** A foreign thread is as one that does not exist, in every answer; lists have none of another team. */
export async function checkTeam(
  client: FleetClient,
  { team, foreign, teamOf }: { readonly team: string; readonly foreign: string; readonly teamOf: ReadonlyMap<string, string> },
): Promise<void> {
  const none = `${foreign.slice(0, -4)}0000`;
  for (const method of ["thread/read", "thread/resume", "thread/fork", "thread/goal/get", "thread/queue/list"]) {
    const [one, other] = await Promise.all([foreign, none].map((threadId) => answered(client, method, threadId)));
    if (one?.replaceAll(foreign, none) !== other) breaks("P9 no team learns anything of another", `${method}: ${one} and ${other}`);
  }
  const { data } = await client.call("thread/list", { limit: 100 });
  for (const { id } of data as readonly Message[])
    if ((teamOf.get(id) ?? team) !== team) breaks("P9 no team learns anything of another", `thread/list: ${id}`);
}

/**
 * A turn is interrupted only where its worker was killed or stopped: not where it was drained, nor where the engine was restarted. Those that
 * ask are handed over while they wait, and may be interrupted at any worker.
 */
export async function checkInterrupted(stage: FleetStage, fates: readonly Fate[], asking: ReadonlySet<string>): Promise<void> {
  const rows = await stage.engine.query<{ thread: string; worker: string; at: Date; line: string }>(
    "select thread, worker, at, line from parley.log where kind in ('turnStarted', 'turnEnded') order by thread, seq",
  );
  const begun = new Map<string, { readonly worker: string; readonly atMs: number }>();
  for (const { thread, worker, at, line } of rows) {
    const { payload } = JSON.parse(line) as { readonly payload: { readonly type: string; readonly turn_id: string } };
    if (payload.type === "task_started") begun.set(payload.turn_id, { worker, atMs: at.getTime() });
    const start = begun.get(payload.turn_id);
    if (payload.type !== "turn_aborted" || start === undefined) continue;
    const met = fates.filter(
      ({ name, fromMs, toMs }) => (asking.has(thread) || name === start.worker) && fromMs <= at.getTime() && toMs >= start.atMs,
    );
    if (met.some(({ kind }) => kind !== "drained")) continue;
    const how = `${thread}: ${payload.turn_id} on ${start.worker}, ended by ${worker} after ${at.getTime() - start.atMs} ms`;
    if (met.length > 0) breaks("P12 draining interrupts no turn", how);
    else breaks("P10 an engine's restart interrupts no turn", how);
  }
}
