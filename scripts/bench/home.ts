/** Several processes on one home: what a turn costs through another process, how soon a dead one's thread goes on, and twenty of them at once. */
import { loadavg } from "node:os";
import type { Client } from "../../src/client/client.ts";
import { type Summary, summaryOf } from "./measure.ts";
import { type Server, Stage } from "./stage.ts";

export const homeMeasures = {
  direct: "one-token turn at the process that runs the thread",
  relayed: "the same through another process",
  added: "what that adds, turn by turn",
  takeover: "process killed → its thread goes on in another, client notified",
  firstList: "first list of a process beside 20 that run threads",
  status: "status changes in one process → a client of another that lists is notified",
} as const;
type HomeMeasure = keyof typeof homeMeasures;

export interface HomeFigures {
  readonly when: string;
  readonly rounds: number;
  readonly load: { readonly before: number; readonly highest: number };
  readonly measures: Readonly<Record<HomeMeasure, Summary>>;
}

const turnsPerRound = 40;
const killsPerRound = 3;
const crowd = 20;

/** Direct and relayed turns alternate, so that other load on the machine affects both alike. */
export async function measureHome(program: string, rounds: number, signal: AbortSignal): Promise<HomeFigures | undefined> {
  if (process.platform === "win32") return undefined;
  const before = loadavg()[0] ?? 0;
  const load: number[] = [before];
  const found: Record<HomeMeasure, number[]> = { direct: [], relayed: [], added: [], takeover: [], firstList: [], status: [] };
  for (let round = 1; round <= rounds && !signal.aborted; round++) {
    process.stderr.write(`home ${round}/${rounds}\n`);
    const stage = new Stage(program);
    try {
      await measureTurns(stage, found);
      await measureTakeovers(stage, found);
      await measureCrowd(stage, found);
    } finally {
      stage.close();
    }
    load.push(loadavg()[0] ?? 0);
  }
  const measures = Object.fromEntries(Object.entries(found).map(([name, values]) => [name, summaryOf(values)]));
  return {
    ...{ when: new Date().toISOString(), rounds, load: { before, highest: Math.max(...load) } },
    measures: measures as HomeFigures["measures"],
  };
}

async function startThread(stage: Stage, { client }: Server): Promise<string> {
  const { thread } = await client.call("thread/start", { cwd: stage.workspace, approvalPolicy: "never" });
  await turn(client, thread.id);
  return thread.id;
}

/** Milliseconds from the request to the turn's end. */
async function turn(client: Client, threadId: string): Promise<number> {
  // The end of an earlier turn may still be on its way, and that of this one may be read together with the answer.
  const over = new Set<unknown>();
  const { promise, resolve } = Promise.withResolvers<void>();
  let turnId: string | undefined;
  const stop = client.on("turn/completed", ({ turn: { id } }) => {
    over.add(id);
    if (id === turnId) resolve();
  });
  const started = performance.now();
  turnId = (await client.call("turn/start", { threadId, input: [{ type: "text", text: "x" }] })).turn.id;
  if (!over.has(turnId)) await promise;
  stop();
  return performance.now() - started;
}

function next(client: Client, method: string, fits: (params: Record<string, unknown>) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = client.onAny((name, params) => {
      if (name !== method || !fits(params as Record<string, unknown>)) return;
      stop();
      resolve();
    });
  });
}

async function measureTurns(stage: Stage, found: Record<HomeMeasure, number[]>): Promise<void> {
  const [holder, other] = [await stage.start(), await stage.start()];
  const threadId = await startThread(stage, holder);
  await other.client.call("thread/resume", { threadId });
  for (let i = 0; i < 10; i++) await turn((i % 2 === 0 ? holder : other).client, threadId);
  for (let i = 0; i < turnsPerRound; i++) {
    const direct = await turn(holder.client, threadId);
    const relayed = await turn(other.client, threadId);
    found.direct.push(direct);
    found.relayed.push(relayed);
    found.added.push(relayed - direct);
  }
}

async function measureTakeovers(stage: Stage, found: Record<HomeMeasure, number[]>): Promise<void> {
  let [holder, other] = [await stage.start(), await stage.start()];
  const threadId = await startThread(stage, holder);
  for (let i = 0; i < killsPerRound; i++) {
    await other.client.call("thread/resume", { threadId });
    const goesOn = next(other.client, "warning", (params) => /Another one continues/.test(String(params["message"])));
    const killed = performance.now();
    holder.child.kill("SIGKILL");
    await goesOn;
    found.takeover.push(performance.now() - killed);
    [holder, other] = [other, await stage.start()];
  }
}

async function measureCrowd(stage: Stage, found: Record<HomeMeasure, number[]>): Promise<void> {
  const servers: Server[] = [];
  for (let i = 0; i < crowd; i++) servers.push(await stage.start());
  const threads = new Map<Server, string>();
  for (const server of servers) threads.set(server, await startThread(stage, server));
  const { client } = await stage.start();
  const started = performance.now();
  await client.call("thread/list", {});
  found.firstList.push(performance.now() - started);
  for (const [server, threadId] of threads) {
    const isActive = (params: Record<string, unknown>): boolean => params["threadId"] === threadId;
    const [here, there] = [server.client, client].map((of) => next(of, "thread/status/changed", isActive));
    const ended = turn(server.client, threadId);
    await here;
    const changed = performance.now();
    // A turn may be over before its statuses are sent: they are gathered for a moment, and then there is nothing to notify of.
    const isTold = await Promise.race([
      there?.then(() => true),
      ended.then(() => new Promise<false>((resolve) => setTimeout(resolve, 200, false))),
    ]);
    if (isTold === true) found.status.push(performance.now() - changed);
    await ended;
  }
}
