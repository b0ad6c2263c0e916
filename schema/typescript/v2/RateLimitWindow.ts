// Generated from the method tables of Parley's app-server. Do not edit.

export type RateLimitWindow = { usedPercent: number, resetsAt?: number | null, windowDurationMins?: number | null };
