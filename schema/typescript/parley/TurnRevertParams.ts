// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnRevertParams = { threadId: string, turnId: string, force?: boolean };
