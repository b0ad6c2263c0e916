// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type PluginInstallParams = { pluginName: string, installAttemptId?: string | null, marketplacePath?: AbsolutePathBuf | null, remoteMarketplaceName?: string | null };
