// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSearchResult } from "./ThreadSearchResult";

export type ThreadSearchResponse = { data: Array<ThreadSearchResult>, backwardsCursor?: string | null, nextCursor?: string | null };
