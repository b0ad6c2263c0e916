// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { PluginSearchScope } from "./PluginSearchScope";

export type PluginSearchParams = { searchTerm: string, cursor?: string | null, cwds?: Array<AbsolutePathBuf> | null, limit?: number | null, scope?: PluginSearchScope | null };
