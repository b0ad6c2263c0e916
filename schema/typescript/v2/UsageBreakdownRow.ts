// Generated from the method tables of Parley's app-server. Do not edit.

export type UsageBreakdownRow = { day: string, cwd: string | null, projectId: string | null, model: string, provider: string | null, threads: number, inputTokens: number, cachedInputTokens: number, outputTokens: number, totalTokens: number, money: number | null };
