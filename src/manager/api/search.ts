/** The routes for finding: text in all sessions and in one, what happened when, and single items. */
import { array, boolean, integer, named, natural, nullable, object, optional, string } from "../../lib/schema.ts";
import { ThreadTimelineEntry } from "../../protocol/thread-items.ts";
import { ThreadItemEntry } from "../../protocol/thread-list.ts";
import { SessionSummary } from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound } from "./records.ts";

const gone = { 404: SessionNotFound, 410: DeletedSession } as const;
const term = () => bounded(string(), { minLength: 1, maxLength: 400 });
const limit = (maximum: number) => optional(bounded(integer(), { minimum: 1, maximum }));

export const searchRoutes = {
  "GET /api/search": route({
    summary: "Sessions whose messages contain a text, newest first. A page may hold few or none: follow nextCursor to search on",
    scope: "read",
    query: named("SearchQuery", () =>
      object({ query: term(), archived: optional(boolean()), cursor: optional(string()), limit: limit(50) }),
    ),
    answers: {
      200: named("SearchPage", () =>
        object({ data: array(object({ session: SessionSummary(), snippet: string() })), nextCursor: nullable(string()) }),
      ),
      400: InvalidRequest,
      501: Failure,
    },
  }),
  "GET /api/sessions/:sessionId/search": route({
    summary: "The places in a session's messages where a text occurs, oldest first",
    scope: "read",
    query: named("OccurrenceQuery", () => object({ query: term(), cursor: optional(string()), limit: limit(200) })),
    answers: {
      200: named("OccurrencePage", () =>
        object({
          data: array(
            object({ turnId: string(), itemId: string(), snippet: string(), start: natural(), end: natural(), turnCursor: string() }),
          ),
          nextCursor: nullable(string()),
        }),
      ),
      400: InvalidRequest,
      501: Failure,
      ...gone,
    },
  }),
  "GET /api/sessions/:sessionId/timeline": route({
    summary: "What happened in a session, in order; the newest page first",
    scope: "read",
    query: named("TimelineQuery", () => object({ cursor: optional(string()), limit: limit(200) })),
    answers: {
      200: named("TimelinePage", () => object({ data: array(ThreadTimelineEntry()), nextCursor: nullable(string()) })),
      400: InvalidRequest,
      501: Failure,
      ...gone,
    },
  }),
  "GET /api/sessions/:sessionId/turns/:turnId/items/:itemId": route({
    summary: "One item of a turn, as it is stored: with its whole output",
    scope: "read",
    answers: {
      200: named("ItemRead", () => object({ data: array(ThreadItemEntry()) })),
      501: Failure,
      ...gone,
    },
  }),
} as const;
