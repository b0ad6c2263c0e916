// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationConstOption } from "./McpElicitationConstOption";
import type { McpElicitationStringType } from "./McpElicitationStringType";

export type McpElicitationTitledSingleSelectEnumSchema = { type: McpElicitationStringType, oneOf: Array<McpElicitationConstOption>, default?: string | null, description?: string | null, title?: string | null };
