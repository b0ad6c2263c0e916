// Generated from the method tables of Parley's app-server. Do not edit.

import type { AccountTokenUsageDailyBucket } from "./AccountTokenUsageDailyBucket";
import type { AccountTokenUsageSummary } from "./AccountTokenUsageSummary";
import type { ThreadUsage } from "./ThreadUsage";

export type GetAccountTokenUsageResponse = { summary: AccountTokenUsageSummary, dailyUsageBuckets?: Array<AccountTokenUsageDailyBucket> | null, threadUsage?: ThreadUsage | null };
