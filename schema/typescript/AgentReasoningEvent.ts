// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentReasoningEvent = { type: "agent_reasoning", text: string };
