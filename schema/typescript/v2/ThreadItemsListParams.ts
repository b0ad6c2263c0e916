// Generated from the method tables of Parley's app-server. Do not edit.

import type { SortDirection } from "./SortDirection";
import type { ThreadItemsListCursor } from "./ThreadItemsListCursor";

export type ThreadItemsListParams = { threadId: string, cursor?: ThreadItemsListCursor | null, limit?: number | null, sortDirection?: SortDirection | null, turnId?: string | null };
