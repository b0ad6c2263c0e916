// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationStringType } from "./McpElicitationStringType";

export type McpElicitationLegacyTitledEnumSchema = { type: McpElicitationStringType, enum: Array<string>, default?: string | null, description?: string | null, enumNames?: Array<string> | null, title?: string | null };
