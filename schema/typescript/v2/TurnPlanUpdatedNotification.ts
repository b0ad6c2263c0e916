// Generated from the method tables of Parley's app-server. Do not edit.

import type { TurnPlanStep } from "./TurnPlanStep";

export type TurnPlanUpdatedNotification = { plan: Array<TurnPlanStep>, threadId: string, turnId: string, explanation?: string | null };
