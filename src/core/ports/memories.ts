/** Port: memories, notes from earlier threads in the user's home. Codex writes them; they are read here. */
export interface Memories {
  /** What the model reads of them at the beginning; undefined if there are none. */
  summary(): Promise<{ readonly folder: string; readonly text: string } | undefined>;
  /** The summary of one thread; null if there is none. */
  ofThread(threadId: string): Promise<string | null>;
  /** Deletes all of them. Throws RpcError if the folder is a link. */
  reset(): Promise<void>;
  /** Whether memories may be made from a thread. False if Codex, which makes them, does not know the thread. */
  setMode(threadId: string, mode: "enabled" | "disabled"): Promise<boolean>;
}
