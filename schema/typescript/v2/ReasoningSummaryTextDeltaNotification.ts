// Generated from the method tables of Parley's app-server. Do not edit.

export type ReasoningSummaryTextDeltaNotification = { delta: string, itemId: string, summaryIndex: number, threadId: string, turnId: string };
