// Generated from the method tables of Parley's app-server. Do not edit.

export type ContextCompactedNotification = { threadId: string, turnId: string };
