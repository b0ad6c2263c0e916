// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type Resource = { name: string, uri: string, _meta?: JsonValue, annotations?: JsonValue, description?: string | null, icons?: Array<JsonValue> | null, mimeType?: string | null, size?: number | null, title?: string | null };
