// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginTrust } from "./PluginTrust";

export type PluginTrustListResponse = { data: Array<PluginTrust> };
