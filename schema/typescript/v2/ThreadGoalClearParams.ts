// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadGoalMutationOrigin } from "./ThreadGoalMutationOrigin";

export type ThreadGoalClearParams = { threadId: string, origin?: ThreadGoalMutationOrigin | null };
