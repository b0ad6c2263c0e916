// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type PluginReadParams = { pluginName: string, marketplacePath?: AbsolutePathBuf | null, remoteMarketplaceName?: string | null };
