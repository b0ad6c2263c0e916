// Generated from the method tables of Parley's app-server. Do not edit.

import type { ScheduledTaskSchedule } from "./ScheduledTaskSchedule";

export type ScheduledTaskSummary = { key: string, name: string, prompt: string, schedule: ScheduledTaskSchedule };
