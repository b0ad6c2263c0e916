// Generated from the method tables of Parley's app-server. Do not edit.

import type { TurnPlanStepStatus } from "./TurnPlanStepStatus";

export type TurnPlanStep = { status: TurnPlanStepStatus, step: string };
