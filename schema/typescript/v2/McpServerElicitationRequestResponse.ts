// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { McpServerElicitationAction } from "./McpServerElicitationAction";

export type McpServerElicitationRequestResponse = { action: McpServerElicitationAction, _meta?: JsonValue, content?: JsonValue };
