// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadQueueListParams = { threadId: string, cursor?: string | null, limit?: number | null };
