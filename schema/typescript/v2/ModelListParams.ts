// Generated from the method tables of Parley's app-server. Do not edit.

export type ModelListParams = { cursor?: string | null, includeHidden?: boolean | null, limit?: number | null };
