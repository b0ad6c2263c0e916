// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppToolSummary } from "./AppToolSummary";

export type ConnectorMetadata = { description?: string | null, distributionChannel?: string | null, iconUrl?: string | null, iconUrlDark?: string | null, id: string, installUrl?: string | null, name: string, pluginDisplayNames?: Array<string>, toolSummaries?: Array<AppToolSummary> | null };
