// Generated from the method tables of Parley's app-server. Do not edit.

export type ReasoningItemContent = { type: "reasoning_text", text: string } | { type: "text", text: string };
