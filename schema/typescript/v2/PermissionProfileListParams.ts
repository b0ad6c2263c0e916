// Generated from the method tables of Parley's app-server. Do not edit.

export type PermissionProfileListParams = { cursor?: string | null, cwd?: string | null, limit?: number | null };
