// Generated from the method tables of Parley's app-server. Do not edit.

export type ReasoningSummaryPartAddedNotification = { itemId: string, summaryIndex: number, threadId: string, turnId: string };
