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
    const { older } = by.routes;
    const outcome = older.uses(threadId) ? await older.join(at.link, threadId) : await resumeThrough(at.link, threadId);
    if ("error" in outcome) {
      at.link.leave(threadId);
      if (!isPassing(outcome)) throw outcome.error;
      return false;
    }
    await tell(by, move, at, outcome.result);
    return true;
  } finally {
    placed?.done();
  }
}

const isPassing = (outcome: Outcome): boolean =>
  "error" in outcome && typeof outcome.error.data === "object" && outcome.error.data !== null;

async function tell({ services, client, routes }: Follower, move: Move, at: WorkerLink, answer: unknown): Promise<void> {
  const { threadId, told, from } = move;
  // Only now is it known by which claim the worker has it.
  const held = await services.fleet.holder(threadId);
  const missed = routes.older.uses(threadId)
    ? await routes.older.missing(at.link, threadId)
    : told.missing(threadId, (answer as ThreadResumeResponse).thread.turns);
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
}

/** It was deleted, or never stored: its worker took it along. */
function gone({ client, routes }: Follower, { threadId, told }: Move): void {
  const { running } = told;
  if (running !== undefined)
    client.notify("turn/completed", { threadId, turn: { id: running, items: [], status: "interrupted", error: null } });
  routes.endQuestions((one) => one.threadId === threadId);
  client.notify("thread/closed", { threadId });
}
