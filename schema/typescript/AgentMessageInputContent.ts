// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentMessageInputContent = { type: "input_text", text: string } | { type: "encrypted_content", encrypted_content: string };
