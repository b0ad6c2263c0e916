// Generated from the method tables of Parley's app-server. Do not edit.

import type { TokenUsageBreakdown } from "./TokenUsageBreakdown";

export type ThreadTokenUsage = { last: TokenUsageBreakdown, total: TokenUsageBreakdown, modelContextWindow?: number | null };
