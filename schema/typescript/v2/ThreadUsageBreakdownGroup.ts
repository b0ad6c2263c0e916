// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadUsageBreakdownGroup = { estimatedUsageCreditsMicros: number, cachedInputTokens?: number | null, inputTokens?: number | null, model?: string | null, netNewInputTokens?: number | null, outputTokens?: number | null, reasoningEffort?: string | null, speed?: string | null, totalTokens?: number | null };
