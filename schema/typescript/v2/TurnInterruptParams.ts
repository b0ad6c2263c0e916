// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnInterruptParams = { threadId: string, turnId: string };
