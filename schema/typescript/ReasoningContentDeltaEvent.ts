// Generated from the method tables of Parley's app-server. Do not edit.

export type ReasoningContentDeltaEvent = { type: "reasoning_content_delta", thread_id: string, turn_id: string, item_id: string, delta: string, summary_index?: number };
