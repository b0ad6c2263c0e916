// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpServerInfo } from "../McpServerInfo";
import type { Resource } from "../Resource";
import type { ResourceTemplate } from "../ResourceTemplate";
import type { Tool } from "../Tool";
import type { JsonValue } from "../serde_json/JsonValue";
import type { McpAuthStatus } from "./McpAuthStatus";
import type { McpServerConnectionStatus } from "./McpServerConnectionStatus";

export type McpServerStatus = { authStatus: McpAuthStatus, name: string, resourceTemplates: Array<ResourceTemplate>, resources: Array<Resource>, tools: { [key in string]?: Tool }, httpOrigin?: string | null, pluginId?: string | null, runtimeStatus?: McpServerConnectionStatus | null, serverCapabilities?: JsonValue, serverInfo?: McpServerInfo | null, toolListMeta?: JsonValue, toolsError?: string | null };
