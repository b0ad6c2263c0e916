// Generated from the method tables of Parley's app-server. Do not edit.

export type ExternalAgentConfigDetectParams = { cwds?: Array<string> | null, includeHome?: boolean, maxSessionAgeDays?: number | null, maxSessions?: number | null, migrationSource?: string | null, source?: string | null };
