// Generated from the method tables of Parley's app-server. Do not edit.

import type { AgentStatus } from "./AgentStatus";
import type { ThreadId } from "./ThreadId";

export type CollabCloseEndEvent = { type: "collab_close_end", call_id: string, sender_thread_id: ThreadId, receiver_thread_id: ThreadId, status: AgentStatus };
