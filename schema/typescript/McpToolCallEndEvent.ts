// Generated from the method tables of Parley's app-server. Do not edit.

import type { Duration } from "./Duration";
import type { McpInvocation } from "./McpInvocation";
import type { McpToolCallOutcome } from "./McpToolCallOutcome";

export type McpToolCallEndEvent = { type: "mcp_tool_call_end", call_id: string, invocation: McpInvocation, duration: Duration, result: McpToolCallOutcome };
