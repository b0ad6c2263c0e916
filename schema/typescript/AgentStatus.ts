// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentStatus = "pending_init" | "running" | "shutdown" | "not_found" | { completed: string | null } | { errored: string };
