// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";

export type ConfiguredHookHandler = { type: "command", async: boolean, command: string, additionalContextLimit?: number | null, commandWindows?: string | null, statusMessage?: string | null, timeoutSec?: number | null } | { type: "mcp_tool", input: { [key in string]?: JsonValue }, server: string, tool: string, statusMessage?: string | null, timeoutSec?: number | null } | { type: "prompt" } | { type: "agent" };
