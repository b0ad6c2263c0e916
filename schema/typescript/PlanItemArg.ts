// Generated from the method tables of Parley's app-server. Do not edit.

export type PlanItemArg = { step: string, status: "pending" | "in_progress" | "completed" };
