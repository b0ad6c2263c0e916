// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginSharePrincipalRole } from "./PluginSharePrincipalRole";
import type { PluginSharePrincipalType } from "./PluginSharePrincipalType";

export type PluginSharePrincipal = { name: string, principalId: string, principalType: PluginSharePrincipalType, role: PluginSharePrincipalRole };
