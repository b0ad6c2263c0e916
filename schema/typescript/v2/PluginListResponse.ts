// Generated from the method tables of Parley's app-server. Do not edit.

import type { MarketplaceLoadErrorInfo } from "./MarketplaceLoadErrorInfo";
import type { PluginMarketplaceEntry } from "./PluginMarketplaceEntry";

export type PluginListResponse = { marketplaces: Array<PluginMarketplaceEntry>, featuredPluginIds?: Array<string>, marketplaceLoadErrors?: Array<MarketplaceLoadErrorInfo> };
