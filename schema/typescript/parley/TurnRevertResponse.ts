// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnRevertResponse = { restored: Array<string>, conflicts: Array<{ path: string, reason: string }> };
