/** `app/list`: this server has no connector service, so the list is empty. */
import type { appRequests } from "../protocol/app.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { HandlersFor } from "./app.ts";

export const appHandlers: HandlersFor<typeof appRequests> = {
  "app/list"({ cursor }) {
    if (cursor !== undefined && cursor !== null) throw invalidRequest(`invalid cursor: ${cursor}`);
    return { data: [], nextCursor: null };
  },
};
