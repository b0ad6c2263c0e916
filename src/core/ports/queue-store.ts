/** Port: the messages that wait in each thread until its turn has ended. They survive restarts, and every process on the same home sees them. */
import type { UserInput } from "../../protocol/item.ts";
import type { QueuedSubmission } from "../../protocol/thread-queue.ts";

export interface NewSubmission {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string;
}

export interface QueueStore {
  /** All that waits in a thread, next one first. */
  list(threadId: string): Promise<readonly QueuedSubmission[]>;
  /** Adds at the end; undefined when the thread has `most` already. */
  add(threadId: string, submission: NewSubmission, most: number): Promise<QueuedSubmission | undefined>;
  /** Replaces the input; undefined when it no longer waits. */
  update(threadId: string, id: string, input: readonly UserInput[]): Promise<QueuedSubmission | undefined>;
  /** False when it no longer waits. */
  remove(threadId: string, id: string): Promise<boolean>;
  /** False, and nothing changed, unless `ids` names everything that waits exactly once. */
  reorder(threadId: string, ids: readonly string[]): Promise<boolean>;
  /** Removes all that waits in a thread. */
  clear(threadId: string): Promise<void>;
  /** Threads whose queue another process has changed since the last call. The first call returns none. */
  changedByOthers(): Promise<readonly string[]>;
}
