// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";

export type DynamicToolCallParams = { arguments: JsonValue, callId: string, threadId: string, tool: string, turnId: string, namespace?: string | null };
