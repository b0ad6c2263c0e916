// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type McpServerInfo = { name: string, version: string, description?: string | null, icons?: Array<JsonValue> | null, title?: string | null, websiteUrl?: string | null };
