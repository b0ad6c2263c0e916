// Generated from the method tables of Parley's app-server. Do not edit.

export type AppSummary = { id: string, name: string, category?: string | null, description?: string | null, installUrl?: string | null };
