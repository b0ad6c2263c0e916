// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadGoalStatus } from "./ThreadGoalStatus";

export type ThreadGoal = { createdAt: number, objective: string, status: ThreadGoalStatus, threadId: string, timeUsedSeconds: number, tokensUsed: number, updatedAt: number, tokenBudget?: number | null };
