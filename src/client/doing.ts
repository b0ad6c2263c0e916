/** What a thread does right now, in the words that lists of the terminal and of the command line show. */
import type { ThreadStatus } from "../protocol/thread.ts";

/** Empty for a thread in which nothing happens. */
export function doing(status: ThreadStatus): "" | "working" | "waiting for you" {
  if (status.type !== "active") return "";
  return status.activeFlags.length > 0 ? "waiting for you" : "working";
}
