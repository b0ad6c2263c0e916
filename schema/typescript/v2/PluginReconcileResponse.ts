// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginReconcileChangedPlugin } from "./PluginReconcileChangedPlugin";

export type PluginReconcileResponse = { changedPlugins: Array<PluginReconcileChangedPlugin>, failedMaterializationRemotePluginIds: Array<string>, failedRemotePluginIds: Array<string> };
