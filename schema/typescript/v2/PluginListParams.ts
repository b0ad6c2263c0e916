// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { PluginListMarketplaceKind } from "./PluginListMarketplaceKind";

export type PluginListParams = { cwds?: Array<AbsolutePathBuf> | null, forceRefetch?: boolean, marketplaceKinds?: Array<PluginListMarketplaceKind> | null };
