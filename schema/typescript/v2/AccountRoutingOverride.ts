// Generated from the method tables of Parley's app-server. Do not edit.

export type AccountRoutingOverride = "NO_CONSTRAINT" | "us" | "us_cr";
