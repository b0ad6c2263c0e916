// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpElicitationObjectType } from "./McpElicitationObjectType";
import type { McpElicitationPrimitiveSchema } from "./McpElicitationPrimitiveSchema";

export type McpElicitationSchema = { type: McpElicitationObjectType, properties: { [key in string]?: McpElicitationPrimitiveSchema }, $schema?: string | null, required?: Array<string> | null };
