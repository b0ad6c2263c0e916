// Generated from the method tables of Parley's app-server. Do not edit.

export type CollabAgentStatus = "pendingInit" | "running" | "interrupted" | "completed" | "errored" | "shutdown" | "notFound";
