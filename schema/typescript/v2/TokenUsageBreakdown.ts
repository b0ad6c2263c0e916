// Generated from the method tables of Parley's app-server. Do not edit.

export type TokenUsageBreakdown = { cachedInputTokens: number, inputTokens: number, outputTokens: number, reasoningOutputTokens: number, totalTokens: number, cacheWriteInputTokens?: number };
