// Generated from the method tables of Parley's app-server. Do not edit.

export type TerminalExitStatus = { exitCode?: number | null, signal?: string | null };
