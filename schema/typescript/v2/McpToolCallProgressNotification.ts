// Generated from the method tables of Parley's app-server. Do not edit.

export type McpToolCallProgressNotification = { itemId: string, message: string, threadId: string, turnId: string };
