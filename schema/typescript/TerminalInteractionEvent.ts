// Generated from the method tables of Parley's app-server. Do not edit.

export type TerminalInteractionEvent = { type: "terminal_interaction", call_id: string, process_id: string, stdin: string };
