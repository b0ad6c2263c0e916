// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItemEntry } from "./ThreadItemEntry";

export type ThreadItemsListResponse = { data: Array<ThreadItemEntry>, backwardsCursor?: string | null, nextCursor?: string | null };
