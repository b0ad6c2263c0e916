// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadShellCommandParams = { threadId: string, command: string, timeoutMs?: number | null };
