// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type Tool = { inputSchema: JsonValue, name: string, _meta?: JsonValue, annotations?: JsonValue, description?: string | null, icons?: Array<JsonValue> | null, outputSchema?: JsonValue, title?: string | null };
