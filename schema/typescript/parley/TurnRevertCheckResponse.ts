// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnRevertCheckResponse = { files: Array<{ path: string, becomes: "restored" | "deleted" }>, conflicts: Array<{ path: string, reason: string }> };
