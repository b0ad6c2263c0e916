// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationArrayType } from "./McpElicitationArrayType";
import type { McpElicitationUntitledEnumItems } from "./McpElicitationUntitledEnumItems";

export type McpElicitationUntitledMultiSelectEnumSchema = { type: McpElicitationArrayType, items: McpElicitationUntitledEnumItems, default?: Array<string> | null, description?: string | null, maxItems?: number | null, minItems?: number | null, title?: string | null };
