// Generated from the method tables of Parley's app-server. Do not edit.

export type CreditsSnapshot = { hasCredits: boolean, unlimited: boolean, balance?: string | null };
