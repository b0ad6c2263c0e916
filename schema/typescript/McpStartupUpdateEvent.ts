// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpStartupStatus } from "./McpStartupStatus";

export type McpStartupUpdateEvent = { type: "mcp_startup_update", server: string, status: McpStartupStatus };
