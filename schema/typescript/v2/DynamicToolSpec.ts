// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { DynamicToolNamespaceTool } from "./DynamicToolNamespaceTool";

export type DynamicToolSpec = { type: "function", description: string, inputSchema: JsonValue, name: string, deferLoading?: boolean } | { type: "namespace", description: string, name: string, tools: Array<DynamicToolNamespaceTool> };
