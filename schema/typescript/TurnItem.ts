// Generated from the method tables of Parley's app-server. Do not edit.

import type { WebSearchAction } from "./WebSearchAction";
import type { JsonValue } from "./serde_json/JsonValue";

export type TurnItem = { type: "UserMessage", id: string, content: Array<JsonValue> } | { type: "AgentMessage", id: string, content: Array<{ type: "Text", text: string }> } | { type: "Plan", id: string, text: string } | { type: "Reasoning", id: string, summary_text: Array<string>, raw_content?: Array<string> } | { type: "WebSearch", id: string, query: string, action: WebSearchAction } | { type: "ContextCompaction", id: string };
