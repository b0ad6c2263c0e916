/** A thread that has another worker by now: the client that follows it is told what it missed, then that it moved, then how it goes on. */
import { setTimeout as sleep } from "node:timers/promises";
import type { FleetWorker, HeldThread } from "../core/ports/fleet.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import type { ThreadResumeResponse } from "../protocol/thread.ts";
import type { Link } from "../relay/link.ts";
import type { Told } from "../relay/told.ts";
import type { Outcome } from "../rpc/peer.ts";
import type { FrontClient, FrontServices } from "./client.ts";
import { type Placed, sameWorker } from "./fleet-view.ts";
import type { Routes, WorkerLink } from "./routes.ts";

export interface Follower {
  readonly services: FrontServices;
  readonly client: FrontClient;
  readonly routes: Routes;
}

export interface Move {
  readonly threadId: string;
  readonly told: Told;
  /** The worker that the client followed it at. */
  readonly from: FleetWorker;
}

/** A fleet without a fitting worker is waited for this long; then the client has to ask again. */
const patienceMs = 60_000;
const betweenTriesMs = 50;

/** Subscribes the client to a thread at a worker, or a second time, which changes nothing. */
export const resumeThrough = (link: Link, threadId: string): Promise<Outcome> =>
  new Promise((resolve) => link.pass({ id: `front-${randomUuid()}`, method: "thread/resume", params: { threadId } }, resolve));

/** Resolves when the client follows the thread again, or cannot. */
export async function followAnew(by: Follower, move: Move): Promise<void> {
  const { services, client, routes } = by;
  const until = performance.now() + patienceMs;
  let why = "no worker has taken it";
  while (performance.now() < until) {
    if (client.isClosed || routes.following(move.threadId) !== undefined) return;
    try {
      const held = await services.fleet.holder(move.threadId);
      if (held === undefined) return gone(by, move);
      if (await joined(by, move, held)) return;
    } catch (error) {
      why = errorMessage(error);
    }
    await sleep(betweenTriesMs);
  }
  client.notify("warning", { threadId: move.threadId, message: `the thread is no longer followed: ${why}; resume it` });
}

/** False if another worker may have it in a moment. */
async function joined(by: Follower, move: Move, held: HeldThread): Promise<boolean> {
  const { fleet } = by.services;
  const { threadId, told } = move;
  const placed: Placed | undefined = held.holder === undefined ? await fleet.place(held) : undefined;
  try {
    const worker = placed?.worker ?? (held.holder === undefined ? undefined : await fleet.reachable(held.holder));
    if (worker === undefined) return false;
    const at = by.routes.linkTo(worker, held.team);
    told.hold();
    at.link.follow(threadId, told);
    return await orLeft(() => resumedAndTold(by, move, at), at.link, threadId);
  } finally {
    placed?.done();
  }
}

/** A link that follows the thread holds what the worker sends: where the client is not told of the move, it would wait for ever. */
async function orLeft(told: () => Promise<boolean>, link: Link, threadId: string): Promise<boolean> {
  let isTold = false;
  try {
    isTold = await told();
  } finally {
    if (!isTold) link.leave(threadId);
  }
  return isTold;
}

async function resumedAndTold(by: Follower, move: Move, at: WorkerLink): Promise<boolean> {
  const { threadId } = move;
  const { older } = by.routes;
  const outcome = older.uses(threadId) ? await older.join(at.link, threadId) : await resumeThrough(at.link, threadId);
  if ("result" in outcome) return await tell(by, move, at, outcome.result);
  if (!isPassing(outcome)) throw outcome.error;
  return false;
}

const isPassing = (outcome: Outcome): boolean =>
  "error" in outcome && typeof outcome.error.data === "object" && outcome.error.data !== null;

/** False if the worker has ended meanwhile: the next one tells it all. */
async function tell({ services, client, routes }: Follower, move: Move, at: WorkerLink, answer: unknown): Promise<boolean> {
  const { threadId, told, from } = move;
  // Only now is it known by which claim the worker has it.
  const held = await services.fleet.holder(threadId);
  const older = routes.older.uses(threadId) ? await routes.older.missing(at.link, threadId) : undefined;
  if (!at.link.follows(threadId)) return false;
  const missed = older ?? told.missing(threadId, (answer as ThreadResumeResponse).thread.turns);
  for (const { method, params } of missed) client.notify(method, params);
  if (!routes.older.uses(threadId))
    routes.endQuestions((one) => one.threadId === threadId && one.turnId !== undefined && one.turnId !== told.running);
  if (!sameWorker(at.worker, from)) {
    const isDrained = held?.moved === "drained" || (held?.moved !== "lost" && from.state === "draining");
    client.notify("fleet/threadMoved", {
      threadId,
      worker: at.worker.name,
      epoch: held?.epoch ?? 0,
      reason: isDrained ? "drained" : "lost",
    });
  }
  at.link.release(threadId);
  return true;
}

/** It was deleted, or never stored: its worker took it along. */
function gone({ client, routes }: Follower, { threadId, told }: Move): void {
  const { running } = told;
  if (running !== undefined)
    client.notify("turn/completed", { threadId, turn: { id: running, items: [], status: "interrupted", error: null } });
  routes.endQuestions((one) => one.threadId === threadId);
  client.notify("thread/closed", { threadId });
}
