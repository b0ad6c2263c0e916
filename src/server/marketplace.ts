/** `marketplace/*`. */
import type { marketplaceRequests } from "../protocol/marketplace.ts";
import type { HandlersFor } from "./app.ts";

export const marketplaceHandlers: HandlersFor<typeof marketplaceRequests> = {
  "marketplace/add": async (params, { app }) => await app.plugins.addMarketplace(params),
  "marketplace/remove": ({ marketplaceName }, { app }) => app.plugins.removeMarketplace(marketplaceName),
  "marketplace/upgrade": async ({ marketplaceName }, { app }) => await app.plugins.upgradeMarketplaces(marketplaceName ?? undefined),
};
