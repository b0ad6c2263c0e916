// Generated from the method tables of Parley's app-server. Do not edit.

export type TerminalParams = { threadId: string, terminalId: string };
