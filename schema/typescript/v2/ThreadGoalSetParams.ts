// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadGoalMutationOrigin } from "./ThreadGoalMutationOrigin";
import type { ThreadGoalStatus } from "./ThreadGoalStatus";

export type ThreadGoalSetParams = { threadId: string, objective?: string | null, status?: ThreadGoalStatus | null, tokenBudget?: number | null, origin?: ThreadGoalMutationOrigin | null };
