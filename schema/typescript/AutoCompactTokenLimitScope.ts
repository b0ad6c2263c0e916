// Generated from the method tables of Parley's app-server. Do not edit.

export type AutoCompactTokenLimitScope = "total" | "body_after_prefix";
