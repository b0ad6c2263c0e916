// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpServerStatusDetail } from "./McpServerStatusDetail";

export type ListMcpServerStatusParams = { cursor?: string | null, detail?: McpServerStatusDetail | null, limit?: number | null, serverName?: string | null, threadId?: string | null };
