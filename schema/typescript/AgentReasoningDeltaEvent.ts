// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentReasoningDeltaEvent = { type: "agent_reasoning_delta", delta: string };
