// Generated from the method tables of Parley's app-server. Do not edit.

export type PluginDisabledReason = "disabled_by_admin" | "plan_not_eligible" | "required_app_unavailable" | "unknown";
