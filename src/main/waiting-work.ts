/** Connects what waits in threads with the threads: it is started when they are idle. */
import type { CorePorts } from "../core/ports/core-ports.ts";
import { type QueuePorts, SubmissionQueue } from "../core/queue/queue.ts";
import type { Threads } from "../core/thread/threads.ts";
import { OrderedRuns } from "../lib/ordered-runs.ts";
import { createQueueStore } from "../store/queue.ts";

export interface WaitingOptions extends Pick<QueuePorts, "announce"> {
  readonly codexHome: string;
}

export function openQueue(
  ports: CorePorts,
  threads: Threads,
  { codexHome, announce }: WaitingOptions,
): { readonly queue: SubmissionQueue; readonly runs: OrderedRuns } {
  const runs = new OrderedRuns();
  const { audience, surroundings, clock, log, ids } = ports;
  const queue = new SubmissionQueue({
    store: createQueueStore({ home: codexHome, now: () => clock.now(), newId: () => ids.item() }),
    threads: () => threads,
    images: surroundings,
    ...{ audience, clock, log, runs, announce },
  });
  threads.onLoaded = (thread) => queue.loaded(thread);
  threads.onIdle = (thread) => queue.whenIdle(thread);
  return { queue, runs };
}
