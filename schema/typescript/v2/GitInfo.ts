// Generated from the method tables of Parley's app-server. Do not edit.

export type GitInfo = { branch?: string | null, originUrl?: string | null, sha?: string | null };
