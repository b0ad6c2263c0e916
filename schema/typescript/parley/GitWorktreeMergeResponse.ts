// Generated from the method tables of Parley's app-server. Do not edit.

export type GitWorktreeMergeResponse = { into: string, sha: string, conflicts: Array<{ path: string, reason: string }> };
