// Generated from the method tables of Parley's app-server. Do not edit.

export type AgentReasoningSectionBreakEvent = { type: "agent_reasoning_section_break", item_id?: string, summary_index?: number };
