// Generated from the method tables of Parley's app-server. Do not edit.

export type AccountTokenUsageSummary = { currentStreakDays?: number | null, lifetimeTokens?: number | null, longestRunningTurnSec?: number | null, longestStreakDays?: number | null, peakDailyTokens?: number | null };
