// Generated from the method tables of Parley's app-server. Do not edit.

export type AppsListParams = { cursor?: string | null, forceRefetch?: boolean, limit?: number | null, threadId?: string | null };
