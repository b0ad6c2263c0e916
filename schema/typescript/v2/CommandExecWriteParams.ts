// Generated from the method tables of Parley's app-server. Do not edit.

export type CommandExecWriteParams = { processId: string, closeStdin?: boolean, deltaBase64?: string | null };
