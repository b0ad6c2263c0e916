// Generated from the method tables of Parley's app-server. Do not edit.

export type GitPullRequestCreateParams = { cwd: string, title: string, body?: string, base?: string | null, draft?: boolean };
