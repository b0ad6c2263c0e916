// Generated from the method tables of Parley's app-server. Do not edit.

export type ExperimentalFeatureListParams = { cursor?: string | null, limit?: number | null, threadId?: string | null };
