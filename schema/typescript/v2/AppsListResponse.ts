// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppInfo } from "./AppInfo";

export type AppsListResponse = { data: Array<AppInfo>, nextCursor?: string | null };
