// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginShareDiscoverability } from "./PluginShareDiscoverability";
import type { PluginSharePrincipal } from "./PluginSharePrincipal";

export type PluginShareContext = { remotePluginId: string, canPublishToWorkspace?: boolean | null, creatorAccountUserId?: string | null, creatorName?: string | null, discoverability?: PluginShareDiscoverability | null, remoteVersion?: string | null, sharePrincipals?: Array<PluginSharePrincipal> | null, shareUrl?: string | null };
