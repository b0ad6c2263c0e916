// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";

export type CollabAgentSpawnBeginEvent = { type: "collab_agent_spawn_begin", call_id: string, sender_thread_id: ThreadId, prompt: string };
