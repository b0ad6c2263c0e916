// Generated from the method tables of Parley's app-server. Do not edit.

export type CommandExecutionOutputDeltaNotification = { delta: string, itemId: string, threadId: string, turnId: string };
