// Generated from the method tables of Parley's app-server. Do not edit.

export type McpStartupStatus = { state: "starting" | "ready" | "cancelled" } | { state: "failed", error: string };
