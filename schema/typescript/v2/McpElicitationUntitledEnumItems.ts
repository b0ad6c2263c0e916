// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationStringType } from "./McpElicitationStringType";

export type McpElicitationUntitledEnumItems = { type: McpElicitationStringType, enum: Array<string> };
