// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppSummary } from "./AppSummary";
import type { PluginAuthPolicy } from "./PluginAuthPolicy";

export type PluginInstallResponse = { appsNeedingAuth: Array<AppSummary>, authPolicy: PluginAuthPolicy };
