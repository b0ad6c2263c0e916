/** Reading single items, finding text in a thread, and its time line. Implemented in server/thread-items.ts. */
import { array, type Infer, integer, literals, maybe, named, natural, object, string, union } from "../lib/schema.ts";
import { request } from "./define.ts";
import { ThreadItem } from "./item.ts";
import { ThreadItemEntry } from "./thread-list.ts";
import { TurnError, TurnStatus } from "./turn.ts";

export const ThreadItemsReadParams = named("ThreadItemsReadParams", () =>
  object({ itemIds: array(string()), threadId: string(), turnId: string() }),
);
export type ThreadItemsReadParams = Infer<typeof ThreadItemsReadParams>;

export const ThreadItemsReadResponse = named("ThreadItemsReadResponse", () => object({ data: array(ThreadItemEntry()) }));
export type ThreadItemsReadResponse = Infer<typeof ThreadItemsReadResponse>;

export const ThreadSearchOccurrencesParams = named("ThreadSearchOccurrencesParams", () =>
  object({ cursor: maybe(string()), limit: maybe(natural()), searchTerm: string(), threadId: string() }),
);
export type ThreadSearchOccurrencesParams = Infer<typeof ThreadSearchOccurrencesParams>;

export const ThreadSearchOccurrencesResponse = named("ThreadSearchOccurrencesResponse", () =>
  object({ data: array(ThreadSearchOccurrence()), nextCursor: maybe(string()) }),
);
export type ThreadSearchOccurrencesResponse = Infer<typeof ThreadSearchOccurrencesResponse>;

export const ThreadSearchOccurrence = named("ThreadSearchOccurrence", () =>
  object({ itemId: string(), snippet: string(), snippetMatchRange: ThreadSearchTextRange(), turnCursor: string(), turnId: string() }),
);
export type ThreadSearchOccurrence = Infer<typeof ThreadSearchOccurrence>;

export const ThreadSearchTextRange = named("ThreadSearchTextRange", () => object({ end: natural(), start: natural() }));
export type ThreadSearchTextRange = Infer<typeof ThreadSearchTextRange>;

export const ThreadTimelineListParams = named("ThreadTimelineListParams", () =>
  object({ cursor: maybe(string()), limit: maybe(natural()), threadId: string() }),
);
export type ThreadTimelineListParams = Infer<typeof ThreadTimelineListParams>;

export const ThreadTimelineListResponse = named("ThreadTimelineListResponse", () =>
  object({ activeRealtimeSessionAtPageStart: maybe(string()), data: array(ThreadTimelineEntry()), nextCursor: maybe(string()) }),
);
export type ThreadTimelineListResponse = Infer<typeof ThreadTimelineListResponse>;

/** In camelCase, as Codex sends them; its schema has the same fields in snake_case. */
export const ThreadTimelineEntry = named("ThreadTimelineEntry", () =>
  union([
    object({ item: ThreadItem(), position: natural(), turnId: string(), type: literals("item") }),
    object({ position: natural(), startedAt: maybe(integer()), turnId: string(), type: literals("turnStarted") }),
    object({
      completedAt: maybe(integer()),
      durationMs: maybe(integer()),
      error: maybe(TurnError()),
      position: natural(),
      startedAt: maybe(integer()),
      status: TurnStatus(),
      turnId: string(),
      type: literals("turnCompleted"),
    }),
  ]),
);
export type ThreadTimelineEntry = Infer<typeof ThreadTimelineEntry>;

export const threadItemsRequests = {
  /** Some items of a turn, by id. */
  "thread/items/read": request({ params: ThreadItemsReadParams, result: ThreadItemsReadResponse, experimental: true }),
  /** Pages through the places where a text occurs in a thread's messages. */
  "thread/searchOccurrences": request({
    params: ThreadSearchOccurrencesParams,
    result: ThreadSearchOccurrencesResponse,
    experimental: true,
  }),
  /** Pages through what happened in a thread, the newest page first, ascending within a page. */
  "thread/timeline/list": request({ params: ThreadTimelineListParams, result: ThreadTimelineListResponse, experimental: true }),
};
