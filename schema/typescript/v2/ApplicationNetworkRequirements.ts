// Generated from the method tables of Parley's app-server. Do not edit.

import type { NetworkDomainPermission } from "./NetworkDomainPermission";

export type ApplicationNetworkRequirements = { domains: { [key in string]?: NetworkDomainPermission }, enabled: boolean };
