// Generated from the method tables of Parley's app-server. Do not edit.

export type MarketplaceAddParams = { source: string, refName?: string | null, sparsePaths?: Array<string> | null };
