// Generated from the method tables of Parley's app-server. Do not edit.

export type GitStageParams = { cwd: string, scope: "staged" | "unstaged", path: string, id: string, hunk?: number };
