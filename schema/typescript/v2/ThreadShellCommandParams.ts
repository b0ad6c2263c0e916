// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadShellCommandParams = { command: string, threadId: string, timeoutMs?: number | null };
