// Generated from the method tables of Parley's app-server. Do not edit.

export type ClientInfo = { name: string, version: string, title?: string | null };
