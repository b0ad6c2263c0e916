// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadTimelineListParams = { cursor?: string | null, limit?: number | null, threadId: string };
