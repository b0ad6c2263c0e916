// Generated from the method tables of Parley's app-server. Do not edit.

export type ModeKind = "plan" | "default" | "code" | "pair_programming" | "execute" | "custom";
