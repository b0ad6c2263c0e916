// Generated from the method tables of Parley's app-server. Do not edit.

import type { AgentPath } from "./AgentPath";
import type { ThreadId } from "./ThreadId";

export type SubAgentSource = "review" | "compact" | "memory_consolidation" | { thread_spawn: { depth: number, parent_thread_id: ThreadId, agent_nickname?: string | null, agent_path?: AgentPath | null, agent_role?: string | null } } | { other: string };
