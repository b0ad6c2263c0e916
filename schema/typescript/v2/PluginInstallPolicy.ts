// Generated from the method tables of Parley's app-server. Do not edit.

export type PluginInstallPolicy = "NOT_AVAILABLE" | "AVAILABLE" | "INSTALLED_BY_DEFAULT";
