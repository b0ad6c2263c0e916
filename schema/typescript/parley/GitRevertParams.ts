// Generated from the method tables of Parley's app-server. Do not edit.

export type GitRevertParams = { threadId: string, cwd: string, scope: "unstaged" | "branch", path: string, id: string };
