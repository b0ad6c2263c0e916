// Generated from the method tables of Parley's app-server. Do not edit.

export type ProviderListParams = { cwd?: string | null, findLocal?: boolean | null };
