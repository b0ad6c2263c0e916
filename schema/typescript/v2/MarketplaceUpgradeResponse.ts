// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { MarketplaceUpgradeErrorInfo } from "./MarketplaceUpgradeErrorInfo";

export type MarketplaceUpgradeResponse = { errors: Array<MarketplaceUpgradeErrorInfo>, selectedMarketplaces: Array<string>, upgradedRoots: Array<AbsolutePathBuf> };
