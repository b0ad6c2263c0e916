// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationStringFormat } from "./McpElicitationStringFormat";
import type { McpElicitationStringType } from "./McpElicitationStringType";

export type McpElicitationStringSchema = { type: McpElicitationStringType, default?: string | null, description?: string | null, format?: McpElicitationStringFormat | null, maxLength?: number | null, minLength?: number | null, title?: string | null };
