// Generated from the method tables of Parley's app-server. Do not edit.

export type TerminalInteractionNotification = { itemId: string, processId: string, stdin: string, threadId: string, turnId: string };
