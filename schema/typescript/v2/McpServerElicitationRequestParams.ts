// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { McpElicitationSchema } from "./McpElicitationSchema";

export type McpServerElicitationRequestParams = ({ serverName: string, threadId: string, turnId?: string | null }) & ({ challenge: string, description: string, mode: "openai/userVerification", title: string, _meta?: JsonValue } | { message: string, mode: "form", requestedSchema: McpElicitationSchema, _meta?: JsonValue } | { message: string, mode: "openai/form", requestedSchema: JsonValue, _meta?: JsonValue } | { message: string, mode: "openaiForm", requestedSchema: JsonValue, _meta?: JsonValue } | { elicitationId: string, message: string, mode: "url", url: string, _meta?: JsonValue });
