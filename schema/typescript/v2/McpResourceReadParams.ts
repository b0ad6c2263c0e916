// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpResourceReadTarget } from "./McpResourceReadTarget";

export type McpResourceReadParams = { server: string, uri: string, connectorId?: string | null, originCallId?: string | null, target?: McpResourceReadTarget | null, threadId?: string | null };
