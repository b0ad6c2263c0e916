/** Handlers for finding: text in all sessions and in one, the time line, and single items. */
import { everySource, type Session } from "../../sessions/sessions.ts";
import type { searchRoutes } from "../api/search.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";

async function readable(manager: Manager, sessionId: string): Promise<Session> {
  manager.sessions.gate(sessionId, "allow");
  return await manager.sessions.require(sessionId);
}

export const searchHandlers: HandlersFor<typeof searchRoutes> = {
  async "GET /api/search"({ manager, query }) {
    const { query: searchTerm, archived = false, cursor = null, limit = 20 } = query;
    const page = await manager.link.call("thread/search", {
      ...{ searchTerm, archived, cursor, limit },
      ...{ sortKey: "updated_at", sortDirection: "desc", sourceKinds: [...everySource] },
    });
    const found = page.data.map(({ thread, snippet }) => ({ session: manager.sessions.learn(thread, archived), snippet }));
    const shown = found.filter(({ session }) => !manager.sessions.isDeleted(session.id) && !manager.sessions.isSystemOwned(session.id));
    return ok({
      data: shown.map(({ session, snippet }) => ({ session: manager.sessions.summary(session), snippet })),
      nextCursor: page.nextCursor ?? null,
    });
  },
  async "GET /api/sessions/:sessionId/search"({ manager, path, query }) {
    const { id } = await readable(manager, path.sessionId);
    const { query: searchTerm, cursor = null, limit = 100 } = query;
    const { data, nextCursor } = await manager.link.call("thread/searchOccurrences", { threadId: id, searchTerm, cursor, limit });
    return ok({
      data: data.map(({ snippetMatchRange: { start, end }, ...rest }) => ({ ...rest, start, end })),
      nextCursor: nextCursor ?? null,
    });
  },
  async "GET /api/sessions/:sessionId/timeline"({ manager, path, query }) {
    const { id } = await readable(manager, path.sessionId);
    const { cursor = null, limit = 100 } = query;
    const { data, nextCursor } = await manager.link.call("thread/timeline/list", { threadId: id, cursor, limit });
    return ok({ data, nextCursor: nextCursor ?? null });
  },
  async "GET /api/sessions/:sessionId/turns/:turnId/items/:itemId"({ manager, path }) {
    const { id } = await readable(manager, path.sessionId);
    return ok(await manager.link.call("thread/items/read", { threadId: id, turnId: path.turnId, itemIds: [path.itemId] }));
  },
};
