// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { PluginSummary } from "./PluginSummary";

export type PluginSearchResult = { marketplaceName: string, plugin: PluginSummary, marketplacePath?: AbsolutePathBuf | null };
