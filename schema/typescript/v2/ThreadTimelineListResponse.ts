// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadTimelineEntry } from "./ThreadTimelineEntry";

export type ThreadTimelineListResponse = { activeRealtimeSessionAtPageStart?: string | null, data: Array<ThreadTimelineEntry>, nextCursor?: string | null };
