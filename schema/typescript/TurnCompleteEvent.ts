// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnCompleteEvent = { type: "task_complete", last_agent_message?: string | null };
