// Generated from the method tables of Parley's app-server. Do not edit.

export type McpStartupCompleteEvent = { type: "mcp_startup_complete", ready: Array<string>, failed: Array<{ server: string, error: string }>, cancelled: Array<string> };
