// Generated from the method tables of Parley's app-server. Do not edit.

export type McpServerConnectionStatus = "notStarted" | "starting" | "connected" | "authenticationRequired" | "failed" | "cancelled" | "disabled";
