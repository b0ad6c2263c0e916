// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadSearchOccurrencesParams = { cursor?: string | null, limit?: number | null, searchTerm: string, threadId: string };
