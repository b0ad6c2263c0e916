// Generated from the method tables of Parley's app-server. Do not edit.

import type { SortDirection } from "./SortDirection";
import type { ThreadSearchSortKey } from "./ThreadSearchSortKey";
import type { ThreadSourceKind } from "./ThreadSourceKind";

export type ThreadSearchParams = { searchTerm: string, archived?: boolean | null, cursor?: string | null, limit?: number | null, sortDirection?: SortDirection | null, sortKey?: ThreadSearchSortKey | null, sourceKinds?: Array<ThreadSourceKind> | null };
