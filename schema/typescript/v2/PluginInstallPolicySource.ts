// Generated from the method tables of Parley's app-server. Do not edit.

export type PluginInstallPolicySource = "WORKSPACE_SETTING" | "IMPLICIT_CANONICAL_APP";
