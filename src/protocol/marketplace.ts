/** Marketplaces: folders and repositories that offer plugins. Implemented in server/marketplace.ts. */
import { array, boolean, type Infer, maybe, named, object, string } from "../lib/schema.ts";
import { byConfig, request } from "./define.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const MarketplaceAddParams = named("MarketplaceAddParams", () =>
  object({ source: string(), refName: maybe(string()), sparsePaths: maybe(array(string())) }),
);
export type MarketplaceAddParams = Infer<typeof MarketplaceAddParams>;

export const MarketplaceAddResponse = named("MarketplaceAddResponse", () =>
  object({ alreadyAdded: boolean(), installedRoot: AbsolutePathBuf(), marketplaceName: string() }),
);
export type MarketplaceAddResponse = Infer<typeof MarketplaceAddResponse>;

export const MarketplaceRemoveParams = named("MarketplaceRemoveParams", () => object({ marketplaceName: string() }));
export type MarketplaceRemoveParams = Infer<typeof MarketplaceRemoveParams>;

export const MarketplaceRemoveResponse = named("MarketplaceRemoveResponse", () =>
  object({ marketplaceName: string(), installedRoot: maybe(AbsolutePathBuf()) }),
);
export type MarketplaceRemoveResponse = Infer<typeof MarketplaceRemoveResponse>;

export const MarketplaceUpgradeParams = named("MarketplaceUpgradeParams", () => object({ marketplaceName: maybe(string()) }));
export type MarketplaceUpgradeParams = Infer<typeof MarketplaceUpgradeParams>;

export const MarketplaceUpgradeResponse = named("MarketplaceUpgradeResponse", () =>
  object({
    errors: array(MarketplaceUpgradeErrorInfo()),
    selectedMarketplaces: array(string()),
    upgradedRoots: array(AbsolutePathBuf()),
  }),
);
export type MarketplaceUpgradeResponse = Infer<typeof MarketplaceUpgradeResponse>;

export const MarketplaceUpgradeErrorInfo = named("MarketplaceUpgradeErrorInfo", () =>
  object({ marketplaceName: string(), message: string() }),
);
export type MarketplaceUpgradeErrorInfo = Infer<typeof MarketplaceUpgradeErrorInfo>;

export const marketplaceRequests = {
  /** Adds a marketplace from a folder or a git repository. */
  "marketplace/add": request({ params: MarketplaceAddParams, result: MarketplaceAddResponse, order: byConfig }),
  /** Removes a marketplace from the settings, and its copy from the home. Installed plugins stay. */
  "marketplace/remove": request({ params: MarketplaceRemoveParams, result: MarketplaceRemoveResponse, order: byConfig }),
  /** Fetches the marketplaces that come from repositories again. Installed plugins do not change. */
  "marketplace/upgrade": request({ params: MarketplaceUpgradeParams, result: MarketplaceUpgradeResponse, order: byConfig }),
};
