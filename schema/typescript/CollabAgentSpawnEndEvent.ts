// Generated from the method tables of Parley's app-server. Do not edit.

import type { AgentStatus } from "./AgentStatus";
import type { ThreadId } from "./ThreadId";

export type CollabAgentSpawnEndEvent = { type: "collab_agent_spawn_end", call_id: string, sender_thread_id: ThreadId, new_thread_id?: ThreadId | null, prompt: string, status: AgentStatus };
