// Generated from the method tables of Parley's app-server. Do not edit.

import type { GitDiffScope } from "./GitDiffScope";

export type GitDiffParams = { cwd: string, scope: GitDiffScope };
