// Generated from the method tables of Parley's app-server. Do not edit.

export type GitRevertResponse = { undoId: string, restored: Array<string> };
