// Generated from the method tables of Parley's app-server. Do not edit.

import type { PlanItemArg } from "./PlanItemArg";

export type UpdatePlanArgs = { type: "plan_update", explanation?: string | null, plan: Array<PlanItemArg> };
