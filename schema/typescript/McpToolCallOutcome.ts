// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type McpToolCallOutcome = { Ok: { content: Array<JsonValue>, isError?: boolean | null, structuredContent?: JsonValue } } | { Err: string };
