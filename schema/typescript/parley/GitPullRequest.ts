// Generated from the method tables of Parley's app-server. Do not edit.

export type GitPullRequest = { url: string, number: number, title: string, state: "open" | "draft" | "merged" | "closed", checks: "none" | "pending" | "passed" | "failed" };
