/** `app/list` and `plugin/list`: no connector or plugin service stands behind this server, so both lists are empty. */
import type { appRequests } from "../protocol/app.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { HandlersFor } from "./app.ts";

export const appHandlers: HandlersFor<typeof appRequests> = {
  "app/list"({ cursor }) {
    if (cursor !== undefined && cursor !== null) throw invalidRequest(`invalid cursor: ${cursor}`);
    return { data: [], nextCursor: null };
  },
  "plugin/list"() {
    return { marketplaces: [], marketplaceLoadErrors: [], featuredPluginIds: [] };
  },
};
