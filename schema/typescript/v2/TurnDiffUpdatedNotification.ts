// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnDiffUpdatedNotification = { diff: string, threadId: string, turnId: string };
