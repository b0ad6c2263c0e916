// Generated from the method tables of Parley's app-server. Do not edit.

export type PluginReconcileChangedPlugin = { hasApps: boolean, hasHooks: boolean, hasMcps: boolean, hasSkills: boolean, id: string };
