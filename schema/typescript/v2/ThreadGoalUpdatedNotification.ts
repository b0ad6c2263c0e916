// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadGoal } from "./ThreadGoal";

export type ThreadGoalUpdatedNotification = { threadId: string, turnId?: string | null, goal: ThreadGoal };
