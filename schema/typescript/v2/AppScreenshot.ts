// Generated from the method tables of Parley's app-server. Do not edit.

export type AppScreenshot = { userPrompt: string, fileId?: string | null, url?: string | null };
