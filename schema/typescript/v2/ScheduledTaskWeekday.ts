// Generated from the method tables of Parley's app-server. Do not edit.

export type ScheduledTaskWeekday = "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU";
