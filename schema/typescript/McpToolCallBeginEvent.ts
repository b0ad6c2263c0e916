// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpInvocation } from "./McpInvocation";

export type McpToolCallBeginEvent = { type: "mcp_tool_call_begin", call_id: string, invocation: McpInvocation };
