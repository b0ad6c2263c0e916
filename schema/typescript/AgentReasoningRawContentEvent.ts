// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentReasoningRawContentEvent = { type: "agent_reasoning_raw_content", text: string };
