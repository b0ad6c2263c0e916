// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { MarketplaceInterface } from "./MarketplaceInterface";
import type { PluginSummary } from "./PluginSummary";

export type PluginMarketplaceEntry = { name: string, plugins: Array<PluginSummary>, interface?: MarketplaceInterface | null, path?: AbsolutePathBuf | null };
