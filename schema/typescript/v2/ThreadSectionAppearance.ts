// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadSectionAppearance = { color?: string | null, icon?: string | null };
