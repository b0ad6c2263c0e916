// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppsDefaultConfig } from "./AppsDefaultConfig";

export type AppsConfig = { _default?: AppsDefaultConfig | null };
