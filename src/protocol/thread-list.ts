/** Finding threads, and paging through their content. Implemented in server/thread-list.ts. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  record,
  string,
  union,
} from "../lib/schema.ts";
import { request } from "./define.ts";
import { ThreadItem } from "./item.ts";
import { SortDirection, Thread, ThreadReadState } from "./thread.ts";
import { Turn, TurnItemsView } from "./turn.ts";

export const ThreadListParams = named("ThreadListParams", () =>
  object({
    ancestorThreadId: maybe(string()),
    archived: maybe(boolean()),
    attachedToThreadId: maybe(string()),
    cursor: maybe(string()),
    cwd: maybe(ThreadListCwdFilter()),
    excludedThreadIds: maybe(array(string())),
    limit: maybe(natural()),
    modelProviders: maybe(array(string())),
    originators: maybe(array(string())),
    parentThreadId: maybe(string()),
    projectId: maybe(string()),
    searchTerm: maybe(string()),
    sectionId: maybe(string()),
    sortDirection: maybe(SortDirection()),
    sortKey: maybe(ThreadSortKey()),
    sourceKinds: maybe(array(ThreadSourceKind())),
    useStateDbOnly: optional(boolean()),
  }),
);
export type ThreadListParams = Infer<typeof ThreadListParams>;

export const ThreadListResponse = named("ThreadListResponse", () =>
  object({
    data: array(Thread()),
    backwardsCursor: maybe(string()),
    nextCursor: maybe(string()),
    readStates: maybe(record(ThreadReadState())),
  }),
);
export type ThreadListResponse = Infer<typeof ThreadListResponse>;

export const ThreadLoadedListParams = named("ThreadLoadedListParams", () => object({ cursor: maybe(string()), limit: maybe(natural()) }));
export type ThreadLoadedListParams = Infer<typeof ThreadLoadedListParams>;

export const ThreadLoadedListResponse = named("ThreadLoadedListResponse", () =>
  object({ data: array(string()), nextCursor: maybe(string()) }),
);
export type ThreadLoadedListResponse = Infer<typeof ThreadLoadedListResponse>;

export const ThreadTurnsListParams = named("ThreadTurnsListParams", () =>
  object({
    threadId: string(),
    cursor: maybe(string()),
    itemsView: maybe(TurnItemsView()),
    limit: maybe(natural()),
    sortDirection: maybe(SortDirection()),
  }),
);
export type ThreadTurnsListParams = Infer<typeof ThreadTurnsListParams>;

export const ThreadTurnsListResponse = named("ThreadTurnsListResponse", () =>
  object({ data: array(Turn()), backwardsCursor: maybe(string()), nextCursor: maybe(string()) }),
);
export type ThreadTurnsListResponse = Infer<typeof ThreadTurnsListResponse>;

export const ThreadItemsListParams = named("ThreadItemsListParams", () =>
  object({
    threadId: string(),
    cursor: maybe(ThreadItemsListCursor()),
    limit: maybe(natural()),
    sortDirection: maybe(SortDirection()),
    turnId: maybe(string()),
  }),
);
export type ThreadItemsListParams = Infer<typeof ThreadItemsListParams>;

export const ThreadItemsListResponse = named("ThreadItemsListResponse", () =>
  object({ data: array(ThreadItemEntry()), backwardsCursor: maybe(string()), nextCursor: maybe(string()) }),
);
export type ThreadItemsListResponse = Infer<typeof ThreadItemsListResponse>;

export const ThreadSearchParams = named("ThreadSearchParams", () =>
  object({
    searchTerm: string(),
    archived: maybe(boolean()),
    cursor: maybe(string()),
    limit: maybe(natural()),
    sortDirection: maybe(SortDirection()),
    sortKey: maybe(ThreadSearchSortKey()),
    sourceKinds: maybe(array(ThreadSourceKind())),
  }),
);
export type ThreadSearchParams = Infer<typeof ThreadSearchParams>;

export const ThreadSearchResponse = named("ThreadSearchResponse", () =>
  object({ data: array(ThreadSearchResult()), backwardsCursor: maybe(string()), nextCursor: maybe(string()) }),
);
export type ThreadSearchResponse = Infer<typeof ThreadSearchResponse>;

export const ThreadListCwdFilter = named("ThreadListCwdFilter", () => union([string(), array(string())]));
export type ThreadListCwdFilter = Infer<typeof ThreadListCwdFilter>;

export const ThreadSortKey = named("ThreadSortKey", () => literals("created_at", "updated_at", "recency_at", "section_position"));
export type ThreadSortKey = Infer<typeof ThreadSortKey>;

export const threadSourceKinds = [
  "cli",
  "vscode",
  "exec",
  "appServer",
  "subAgent",
  "subAgentReview",
  "subAgentCompact",
  "subAgentThreadSpawn",
  "subAgentOther",
  "unknown",
] as const;
export const ThreadSourceKind = named("ThreadSourceKind", () => literals(...threadSourceKinds));
export type ThreadSourceKind = Infer<typeof ThreadSourceKind>;

export const ThreadItemsListCursor = named("ThreadItemsListCursor", () => union([string(), ThreadItemsListAnchor()]));
export type ThreadItemsListCursor = Infer<typeof ThreadItemsListCursor>;

export const ThreadItemEntry = named("ThreadItemEntry", () =>
  object({ item: ThreadItem(), turnId: string(), completedAtMs: maybe(integer()), startedAtMs: maybe(integer()) }),
);
export type ThreadItemEntry = Infer<typeof ThreadItemEntry>;

export const ThreadSearchSortKey = named("ThreadSearchSortKey", () => literals("created_at", "updated_at", "recency_at"));
export type ThreadSearchSortKey = Infer<typeof ThreadSearchSortKey>;

export const ThreadSearchResult = named("ThreadSearchResult", () => object({ snippet: string(), thread: Thread() }));
export type ThreadSearchResult = Infer<typeof ThreadSearchResult>;

export const ThreadItemsListAnchor = named("ThreadItemsListAnchor", () => object({ type: literals("item"), itemId: string() }));
export type ThreadItemsListAnchor = Infer<typeof ThreadItemsListAnchor>;

export const threadListRequests = {
  /** Pages through the stored threads, newest first by default. */
  "thread/list": request({
    params: ThreadListParams,
    result: ThreadListResponse,
    experimentalFields: { ancestorThreadId: "current", attachedToThreadId: "current", parentThreadId: "current", projectId: "current" },
  }),
  /** Lists the ids of the threads that are open in this server. */
  "thread/loaded/list": request({ params: ThreadLoadedListParams, result: ThreadLoadedListResponse }),
  /** Pages through a thread's turns. */
  "thread/turns/list": request({ params: ThreadTurnsListParams, result: ThreadTurnsListResponse }),
  /** Pages through a thread's items, of all turns or of one. */
  "thread/items/list": request({ params: ThreadItemsListParams, result: ThreadItemsListResponse }),
  /** Finds threads by text in their messages. */
  "thread/search": request({ params: ThreadSearchParams, result: ThreadSearchResponse, experimental: true }),
};
