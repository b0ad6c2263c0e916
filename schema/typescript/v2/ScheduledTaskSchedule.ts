// Generated from the method tables of Parley's app-server. Do not edit.

import type { ScheduledTaskWeekday } from "./ScheduledTaskWeekday";

export type ScheduledTaskSchedule = { type: "hourly", intervalHours: number, days?: Array<ScheduledTaskWeekday> | null } | { type: "daily", time: string } | { type: "weekdays", time: string } | { type: "weekly", days: Array<ScheduledTaskWeekday>, time: string };
