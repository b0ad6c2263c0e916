// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginProgram } from "./PluginProgram";
import type { PluginTrustStatus } from "./PluginTrustStatus";

export type PluginTrust = { pluginId: string, enabled: boolean, status: PluginTrustStatus, root?: string | null, content?: string | null, problem?: string | null, runs: Array<PluginProgram> };
