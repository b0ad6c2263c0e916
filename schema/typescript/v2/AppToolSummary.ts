// Generated from the method tables of Parley's app-server. Do not edit.

export type AppToolSummary = { description: string, disabledReason?: string | null, isEnabled?: boolean, isReadOnly?: boolean, name: string, title?: string | null };
