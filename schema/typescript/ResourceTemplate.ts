// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type ResourceTemplate = { name: string, uriTemplate: string, annotations?: JsonValue, description?: string | null, mimeType?: string | null, title?: string | null };
