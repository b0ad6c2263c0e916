// Generated from the method tables of Parley's app-server. Do not edit.

export type SessionMigration = { cwd: string, path: string, title?: string | null };
