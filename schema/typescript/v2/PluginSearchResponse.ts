// Generated from the method tables of Parley's app-server. Do not edit.

import type { PluginSearchResult } from "./PluginSearchResult";

export type PluginSearchResponse = { data: Array<PluginSearchResult>, nextCursor?: string | null };
