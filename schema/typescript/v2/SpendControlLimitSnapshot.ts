// Generated from the method tables of Parley's app-server. Do not edit.

export type SpendControlLimitSnapshot = { limit: string, remainingPercent: number, resetsAt: number, used: string };
