// Generated from the method tables of Parley's app-server. Do not edit.

export type GitWorktreeRemoveParams = { cwd: string, onlyIfMerged?: boolean };
