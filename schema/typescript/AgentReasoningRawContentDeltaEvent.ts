// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentReasoningRawContentDeltaEvent = { type: "agent_reasoning_raw_content_delta", delta: string };
