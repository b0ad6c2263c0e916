/** The manager's routes for arranging, finding, goals, files and cost. */
import type { Connection } from "./connection.ts";
import type { Http } from "./http.ts";
import { budgetEdits, type MoreCalls } from "./more-calls.ts";

/** The first answer comes as soon as there is something to show; the search goes on from there. */
const firstHits = 5;

const cursorOf = (cursor: string | null): { cursor?: string } => (cursor === null ? {} : { cursor });

export function moreOver(call: Http["call"]): Required<MoreCalls> & Required<Pick<Connection, "cost">> {
  const of = (sessionId: string) => ({ path: { sessionId } });
  return {
    lists: {
      sections: async () => (await call("GET /api/sections")).data,
      makeSection: async (name) => (await call("POST /api/sections", { body: { name } })).data,
      renameSection: async (sectionId, name) => (await call("POST /api/sections/:sectionId", { path: { sectionId }, body: { name } })).data,
      removeSection: async (sectionId) => (await call("DELETE /api/sections/:sectionId", { path: { sectionId } })).data,
      move: async (sessionId, sectionId, before) =>
        (await call("POST /api/sessions/:sessionId/section", { ...of(sessionId), body: { sectionId, beforeSessionId: before ?? null } }))
          .data,
      snooze: async (sessionId, until) => void (await call("POST /api/sessions/:sessionId/snooze", { ...of(sessionId), body: { until } })),
      archiveMany: (sessionIds) => call("POST /api/archive", { body: { sessionIds: [...sessionIds] } }),
    },
    goals: {
      read: async (sessionId) => (await call("GET /api/sessions/:sessionId/goal", of(sessionId))).goal,
      change: async (sessionId, body) => (await call("POST /api/sessions/:sessionId/goal", { ...of(sessionId), body })).goal,
      clear: async (sessionId) => void (await call("DELETE /api/sessions/:sessionId/goal", of(sessionId))),
    },
    queue: {
      change: async (sessionId, messageId, input) =>
        void (await call("POST /api/sessions/:sessionId/queue/:messageId", {
          path: { sessionId, messageId },
          body: { input: [...input] },
        })),
      reorder: async (sessionId, messageIds) =>
        void (await call("POST /api/sessions/:sessionId/queue-order", { ...of(sessionId), body: { messageIds: [...messageIds] } })),
      sendNow: async (sessionId, messageId) =>
        void (await call("POST /api/sessions/:sessionId/queue/:messageId/send", { path: { sessionId, messageId } })),
    },
    search: {
      all: (query, { archived, cursor }) =>
        call("GET /api/search", { query: { query, archived, limit: cursor === null ? firstHits : 20, ...cursorOf(cursor) } }),
      inSession: (sessionId, query, cursor) =>
        call("GET /api/sessions/:sessionId/search", { ...of(sessionId), query: { query, limit: 200, ...cursorOf(cursor) } }),
      timeline: (sessionId, cursor) =>
        call("GET /api/sessions/:sessionId/timeline", { ...of(sessionId), query: { limit: 100, ...cursorOf(cursor) } }),
      item: async (sessionId, turnId, itemId) =>
        (await call("GET /api/sessions/:sessionId/turns/:turnId/items/:itemId", { path: { sessionId, turnId, itemId } })).data[0],
    },
    fileView: {
      read: (sessionId, path) => call("GET /api/sessions/:sessionId/file", { ...of(sessionId), query: { path } }),
      save: async (sessionId, body) => (await call("POST /api/sessions/:sessionId/file", { ...of(sessionId), body })).version,
    },
    attachments: {
      list: async (sessionId) => (await call("GET /api/sessions/:sessionId/attachments", of(sessionId))).data,
      add: async (sessionId, body) => (await call("POST /api/sessions/:sessionId/attachments", { ...of(sessionId), body })).data,
      remove: async (sessionId, { attachmentType, identityKey }) =>
        (await call("POST /api/sessions/:sessionId/attachments/remove", { ...of(sessionId), body: { attachmentType, identityKey } })).data,
    },
    usage: {
      read: (days) => call("GET /api/usage", { query: { days } }),
      setBudget: async (budget) => void (await call("POST /api/config/batch", { body: { edits: budgetEdits(budget) } })),
    },
    cost: async (sessionId) => (await call("GET /api/sessions/:sessionId/cost", of(sessionId))).money,
    markRead: async (sessionId, read) => (await call("POST /api/sessions/:sessionId/read", { ...of(sessionId), body: { read } })).session,
    folders: (path) => call("GET /api/folders", { query: { path } }),
  };
}
