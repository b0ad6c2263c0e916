// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";

export type ThreadApproveGuardianDeniedActionParams = { event: JsonValue, threadId: string };
