/** `plugin/*`. */
import type { pluginRequests } from "../protocol/plugin.ts";
import type { HandlersFor } from "./app.ts";

export const pluginHandlers: HandlersFor<typeof pluginRequests> = {
  "plugin/list"() {
    return { marketplaces: [], marketplaceLoadErrors: [], featuredPluginIds: [] };
  },
};
