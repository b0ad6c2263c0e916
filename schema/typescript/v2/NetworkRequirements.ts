// Generated from the method tables of Parley's app-server. Do not edit.

import type { NetworkDomainPermission } from "./NetworkDomainPermission";
import type { NetworkUnixSocketPermission } from "./NetworkUnixSocketPermission";

export type NetworkRequirements = { allowLocalBinding?: boolean | null, allowUnixSockets?: Array<string> | null, allowUpstreamProxy?: boolean | null, allowedDomains?: Array<string> | null, dangerouslyAllowAllUnixSockets?: boolean | null, dangerouslyAllowNonLoopbackProxy?: boolean | null, deniedDomains?: Array<string> | null, domains?: { [key in string]?: NetworkDomainPermission } | null, enabled?: boolean | null, httpPort?: number | null, managedAllowedDomainsOnly?: boolean | null, reviewDomains?: Array<string> | null, socksPort?: number | null, unixSockets?: { [key in string]?: NetworkUnixSocketPermission } | null };
