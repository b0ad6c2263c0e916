// Generated from the method tables of Parley's app-server. Do not edit.

export type PermissionProfileSummary = { allowed: boolean, id: string, description?: string | null };
