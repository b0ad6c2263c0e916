// Generated from the method tables of Parley's app-server. Do not edit.

import type { AgentStatus } from "./AgentStatus";
import type { ThreadId } from "./ThreadId";

export type CollabWaitingEndEvent = { type: "collab_waiting_end", call_id: string, sender_thread_id: ThreadId, statuses: { [key in string]?: AgentStatus } };
