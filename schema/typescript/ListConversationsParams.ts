// Generated from the method tables of Parley's app-server. Do not edit.

export type ListConversationsParams = { cursor?: string | null, modelProviders?: Array<string> | null, pageSize?: number | null };
