// Generated from the method tables of Parley's app-server. Do not edit.

export type PluginListMarketplaceKind = "local" | "vertical" | "workspace-directory" | "shared-with-me" | "created-by-me-remote";
