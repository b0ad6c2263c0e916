// Generated from the method tables of Parley's app-server. Do not edit.

export type FeedbackUploadParams = { classification: string, extraLogFiles?: Array<string> | null, includeLogs?: boolean, reason?: string | null, tags?: { [key in string]?: string } | null, threadId?: string | null };
