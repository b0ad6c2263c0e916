// Generated from the method tables of Parley's app-server. Do not edit.

export type WebSearchLocation = { city?: string | null, country?: string | null, region?: string | null, timezone?: string | null };
