// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpToolCallQuestion } from "./McpToolCallQuestion";
import type { ToolRequestUserInputQuestion } from "./ToolRequestUserInputQuestion";

export type ToolRequestUserInputParams = { isBlocking: boolean, itemId: string, questions: Array<ToolRequestUserInputQuestion>, threadId: string, turnId: string, autoResolutionMs?: number | null, prompt?: string | null, toolCallId?: string, mcpToolCall?: McpToolCallQuestion };
