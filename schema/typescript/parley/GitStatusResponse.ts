// Generated from the method tables of Parley's app-server. Do not edit.

import type { GitStatus } from "./GitStatus";

export type GitStatusResponse = { repository: GitStatus | null };
