// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentMessageDeltaEvent = { type: "agent_message_delta", delta: string };
