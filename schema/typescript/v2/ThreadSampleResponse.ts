// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadSampleResponse = { cachedInputTokens?: number | null, inputTokens?: number | null, outputTokens?: number | null, responseId: string, sourceTurnId: string, text?: string | null };
