/** Connects what waits in threads, and their goals, with the threads: the next turn is started when they are idle. */
import { Goals } from "../core/goal/goals.ts";
import type { CorePorts } from "../core/ports/core-ports.ts";
import { type QueuePorts, SubmissionQueue } from "../core/queue/queue.ts";
import type { Threads } from "../core/thread/threads.ts";
import { OrderedRuns } from "../lib/ordered-runs.ts";
import type { Storage } from "./storage.ts";

export interface WaitingOptions extends Pick<QueuePorts, "announce"> {
  readonly storage: Pick<Storage, "queue" | "goals">;
}

/** The tools of the ports need it: it gets the ports and the threads themselves later. */
export function openGoals(ports: () => CorePorts, threads: () => Threads, { storage, announce }: WaitingOptions): Goals {
  return new Goals({
    store: storage.goals,
    ports,
    mostTokens: () => ports().config.effective(process.cwd()).mostGoalTokens,
    find: (threadId) => threads().find(threadId),
    announce,
  });
}

export function openQueue(
  ports: CorePorts,
  threads: Threads,
  { storage, announce, goals }: WaitingOptions & { readonly goals: Goals },
): { readonly queue: SubmissionQueue; readonly runs: OrderedRuns } {
  const runs = new OrderedRuns();
  const { audience, surroundings, clock, log } = ports;
  const queue = new SubmissionQueue({
    store: storage.queue,
    threads: () => threads,
    images: surroundings,
    otherwise: (thread) => goals.continueIfIdle(thread),
    ...{ audience, clock, log, runs, announce },
  });
  threads.onLoaded = (thread) => {
    queue.loaded(thread);
    goals.loaded(thread);
  };
  threads.onUsage = (thread, usage) => goals.charge(thread, usage);
  threads.onIdle = (thread, turn) => queue.whenIdle(thread, () => goals.turnEnded(thread, turn));
  return { queue, runs };
}
