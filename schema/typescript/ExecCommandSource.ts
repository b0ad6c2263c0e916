// Generated from the method tables of Parley's app-server. Do not edit.

export type ExecCommandSource = "agent" | "user_shell" | "unified_exec_startup" | "unified_exec_interaction";
