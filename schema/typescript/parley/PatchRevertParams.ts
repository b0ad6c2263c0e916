// Generated from the method tables of Parley's app-server. Do not edit.

export type PatchRevertParams = { threadId: string, folder: string, patch: string };
