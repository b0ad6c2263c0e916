// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationNumberType } from "./McpElicitationNumberType";

export type McpElicitationNumberSchema = { type: McpElicitationNumberType, default?: number | null, description?: string | null, maximum?: number | null, minimum?: number | null, title?: string | null };
