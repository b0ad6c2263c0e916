// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppInfo } from "./AppInfo";

export type AppListUpdatedNotification = { data: Array<AppInfo> };
