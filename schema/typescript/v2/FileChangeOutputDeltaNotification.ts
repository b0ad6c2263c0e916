// Generated from the method tables of Parley's app-server. Do not edit.

export type FileChangeOutputDeltaNotification = { delta: string, itemId: string, threadId: string, turnId: string };
