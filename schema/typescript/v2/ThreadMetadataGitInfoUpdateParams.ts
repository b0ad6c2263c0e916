// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadMetadataGitInfoUpdateParams = { branch?: string | null, originUrl?: string | null, sha?: string | null };
