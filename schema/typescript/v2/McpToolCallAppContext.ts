// Generated from the method tables of Parley's app-server. Do not edit.

export type McpToolCallAppContext = { connectorId: string, actionName?: string | null, appName?: string | null, linkId?: string | null, resourceUri?: string | null };
