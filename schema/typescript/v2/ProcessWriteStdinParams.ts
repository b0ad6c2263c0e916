// Generated from the method tables of Parley's app-server. Do not edit.

export type ProcessWriteStdinParams = { closeStdin?: boolean, deltaBase64?: string | null, processHandle: string };
