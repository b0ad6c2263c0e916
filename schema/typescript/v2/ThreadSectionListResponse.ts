// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSection } from "./ThreadSection";

export type ThreadSectionListResponse = { data: Array<ThreadSection>, nextCursor?: string | null };
