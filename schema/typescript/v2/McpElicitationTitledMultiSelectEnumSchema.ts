// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationArrayType } from "./McpElicitationArrayType";
import type { McpElicitationTitledEnumItems } from "./McpElicitationTitledEnumItems";

export type McpElicitationTitledMultiSelectEnumSchema = { type: McpElicitationArrayType, items: McpElicitationTitledEnumItems, default?: Array<string> | null, description?: string | null, maxItems?: number | null, minItems?: number | null, title?: string | null };
