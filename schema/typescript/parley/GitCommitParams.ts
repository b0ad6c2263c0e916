// Generated from the method tables of Parley's app-server. Do not edit.

export type GitCommitParams = { cwd: string, message: string, branch?: string | null, all?: boolean, asInTerminal?: boolean };
