// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnDiffEvent = { type: "turn_diff", unified_diff: string };
