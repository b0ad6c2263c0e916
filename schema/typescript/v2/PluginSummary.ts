// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginAuthPolicy } from "./PluginAuthPolicy";
import type { PluginAvailability } from "./PluginAvailability";
import type { PluginDisabledReason } from "./PluginDisabledReason";
import type { PluginInstallPolicy } from "./PluginInstallPolicy";
import type { PluginInstallPolicySource } from "./PluginInstallPolicySource";
import type { PluginInterface } from "./PluginInterface";
import type { PluginShareContext } from "./PluginShareContext";
import type { PluginSource } from "./PluginSource";

export type PluginSummary = { authPolicy: PluginAuthPolicy, enabled: boolean, id: string, installPolicy: PluginInstallPolicy, installed: boolean, name: string, source: PluginSource, availability?: PluginAvailability, disabledReason?: PluginDisabledReason | null, eligiblePlanTypes?: Array<string> | null, installPolicySource?: PluginInstallPolicySource | null, installedAt?: number | null, interface?: PluginInterface | null, keywords?: Array<string>, localVersion?: string | null, mustShowInstallationInterstitial?: boolean | null, remotePluginId?: string | null, shareContext?: PluginShareContext | null, version?: string | null };
