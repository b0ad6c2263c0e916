// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";

export type ThreadAttachment = { attachmentType: string, createdAt: number, id: string, identityKey: string, payload: JsonValue };
