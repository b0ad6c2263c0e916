// Generated from the method tables of Parley's app-server. Do not edit.

export type RateLimitWindow = { used_percent: number, window_minutes?: number | null, resets_at?: number | null };
