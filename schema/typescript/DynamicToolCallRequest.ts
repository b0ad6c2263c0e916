// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type DynamicToolCallRequest = { type: "dynamic_tool_call_request", callId: string, turnId: string, tool: string, arguments: JsonValue };
