/** Unloads threads that have had no subscribers for long. */
import type { Log } from "../core/ports/log.ts";
import type { Threads } from "../core/thread/threads.ts";
import type { Subscriptions } from "../server/subscriptions.ts";

/** How often the server checks for threads without subscribers. */
const everyMs = 60_000;

/** The returned function ends it. */
export function unloadUnwatched(threads: Threads, subscriptions: Subscriptions, log: Log): () => void {
  const unload = (): void => {
    threads.unloadUnwatched().catch((error: unknown) => log.warn("idle threads could not be unloaded", { error: String(error) }));
  };
  subscriptions.onUnwatched = (threadId) => {
    const thread = threads.find(threadId);
    thread?.rest();
    // A thread that should be unloaded soon does not wait for the next round.
    if (thread !== undefined && thread.unloadAfterMs < everyMs) setTimeout(unload, thread.unloadAfterMs + 10).unref();
  };
  const timer = setInterval(unload, everyMs).unref();
  return () => clearInterval(timer);
}
