// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpServerStatus } from "./McpServerStatus";

export type ListMcpServerStatusResponse = { data: Array<McpServerStatus>, nextCursor?: string | null };
