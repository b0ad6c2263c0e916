// Generated from the method tables of Parley's app-server. Do not edit.

export type McpResourceReadTarget = { connectorId: string, linkId: string | null };
