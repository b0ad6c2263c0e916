// Generated from the method tables of Parley's app-server. Do not edit.

import type { InstalledApp } from "./InstalledApp";

export type AppsInstalledResponse = { apps: Array<InstalledApp> };
