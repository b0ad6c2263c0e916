// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadUsageBreakdownGroup } from "./ThreadUsageBreakdownGroup";

export type ThreadUsage = { estimatedUsageCreditsMicros: number, groups: Array<ThreadUsageBreakdownGroup>, threadId: string, estimatedUsageUsdMicros?: number | null, nativeUsageUsdMicros?: number | null };
