/** `memory/*`, `thread/memory/read` and `thread/memoryMode/set`. Memories are read here; Codex writes them. */
import type { memoryRequests } from "../protocol/memory.ts";
import type { HandlersFor } from "./app.ts";
import { findThread } from "./stored-thread.ts";

export const memoryHandlers: HandlersFor<typeof memoryRequests> = {
  /** The second kind of memories is not read here, so none of its threads count. */
  "memory/status": ({ minConsolidatedThreads }) => ({ v2ConsolidatedThreads: 0, v2Ready: (minConsolidatedThreads ?? 0) === 0 }),
  async "memory/reset"(_params, { app }) {
    await app.memories.reset();
    return {};
  },
  async "thread/memory/read"({ threadId }, { app }) {
    await findThread(threadId, app);
    return { summary: await app.memories.ofThread(threadId) };
  },
  async "thread/memoryMode/set"({ threadId, mode }, { app, session, after }) {
    await findThread(threadId, app);
    if (!(await app.memories.setMode(threadId, mode))) {
      const message = "Parley makes no memories, and Codex does not know this thread; its memory mode was not stored";
      after(() => session.notify("warning", { threadId, message }));
    }
    return {};
  },
};
