// Generated from the method tables of Parley's app-server. Do not edit.

import type { SortDirection } from "./SortDirection";
import type { ThreadListCwdFilter } from "./ThreadListCwdFilter";
import type { ThreadSortKey } from "./ThreadSortKey";
import type { ThreadSourceKind } from "./ThreadSourceKind";

export type ThreadListParams = { ancestorThreadId?: string | null, archived?: boolean | null, attachedToThreadId?: string | null, cursor?: string | null, cwd?: ThreadListCwdFilter | null, excludedThreadIds?: Array<string> | null, limit?: number | null, modelProviders?: Array<string> | null, originators?: Array<string> | null, parentThreadId?: string | null, projectId?: string | null, searchTerm?: string | null, sectionId?: string | null, sortDirection?: SortDirection | null, sortKey?: ThreadSortKey | null, sourceKinds?: Array<ThreadSourceKind> | null, useStateDbOnly?: boolean };
