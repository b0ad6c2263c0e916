// Generated from the method tables of Parley's app-server. Do not edit.

export type PlanDeltaEvent = { type: "plan_delta", thread_id: string, turn_id: string, item_id: string, delta: string };
