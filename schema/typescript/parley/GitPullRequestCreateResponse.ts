// Generated from the method tables of Parley's app-server. Do not edit.

import type { GitPullRequest } from "./GitPullRequest";

export type GitPullRequestCreateResponse = { pullRequest: GitPullRequest };
