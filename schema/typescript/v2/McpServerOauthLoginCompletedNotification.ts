// Generated from the method tables of Parley's app-server. Do not edit.

export type McpServerOauthLoginCompletedNotification = { name: string, success: boolean, error?: string | null, loginId?: string | null, threadId?: string | null };
