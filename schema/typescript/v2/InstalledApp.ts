// Generated from the method tables of Parley's app-server. Do not edit.

export type InstalledApp = { callable: boolean, enabled: boolean, id: string, runtimeName?: string | null };
