// Generated from the method tables of Parley's app-server. Do not edit.

export type ReasoningTextDeltaNotification = { contentIndex: number, delta: string, itemId: string, threadId: string, turnId: string };
