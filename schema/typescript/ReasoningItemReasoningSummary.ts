// Generated from the method tables of Parley's app-server. Do not edit.

export type ReasoningItemReasoningSummary = { type: "summary_text", text: string };
