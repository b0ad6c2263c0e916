// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationBooleanType } from "./McpElicitationBooleanType";

export type McpElicitationBooleanSchema = { type: McpElicitationBooleanType, default?: boolean | null, description?: string | null, title?: string | null };
