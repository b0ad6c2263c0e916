// Generated from the method tables of Parley's app-server. Do not edit.

export type ConversationGitInfo = { branch?: string | null, origin_url?: string | null, sha?: string | null };
