/** Which sub-agents a notification is about, and whose they are: their questions belong to the session of their parent. */
import type { ThreadItem } from "../protocol/item.ts";

interface Child {
  readonly id: string;
  readonly parentId: string;
}

/** Contract: `params` are of the method, as the client has checked them. */
export function childrenIn(method: string, params: unknown): readonly Child[] {
  // Before the child's first event, so that no question comes earlier.
  if (method === "thread/started") {
    const { thread } = params as { thread: { id: string; parentThreadId?: string | null } };
    return thread.parentThreadId == null ? [] : [{ id: thread.id, parentId: thread.parentThreadId }];
  }
  const { threadId, item } = params as { threadId?: string | null; item?: ThreadItem };
  if (threadId == null || item === undefined) return [];
  // A server that does not announce the threads of agents shows them in the items of their parents.
  const ids = item.type === "collabAgentToolCall" ? item.receiverThreadIds : item.type === "subAgentActivity" ? [item.agentThreadId] : [];
  return ids
    .filter((id) => id !== threadId && !(item.type === "subAgentActivity" && item.kind !== "started"))
    .map((id) => ({ id, parentId: threadId }));
}
