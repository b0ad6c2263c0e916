// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSearchOccurrence } from "./ThreadSearchOccurrence";

export type ThreadSearchOccurrencesResponse = { data: Array<ThreadSearchOccurrence>, nextCursor?: string | null };
