// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type ResourceContent = { text: string, uri: string, _meta?: JsonValue, mimeType?: string | null } | { blob: string, uri: string, _meta?: JsonValue, mimeType?: string | null };
