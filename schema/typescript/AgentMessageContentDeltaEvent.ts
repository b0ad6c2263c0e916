// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentMessageContentDeltaEvent = { type: "agent_message_content_delta", thread_id: string, turn_id: string, item_id: string, delta: string };
