// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationConstOption } from "./McpElicitationConstOption";

export type McpElicitationTitledEnumItems = { anyOf: Array<McpElicitationConstOption> };
