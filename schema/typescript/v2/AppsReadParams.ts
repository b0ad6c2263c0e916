// Generated from the method tables of Parley's app-server. Do not edit.

export type AppsReadParams = { appIds: Array<string>, includeTools?: boolean, threadId?: string | null };
