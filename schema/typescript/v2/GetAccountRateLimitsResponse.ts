// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "../serde_json/JsonValue";
import type { RateLimitResetCreditsSummary } from "./RateLimitResetCreditsSummary";
import type { RateLimitSnapshot } from "./RateLimitSnapshot";

export type GetAccountRateLimitsResponse = { rateLimits: RateLimitSnapshot, accountId?: string | null, ordinaryUsageAllowed?: boolean | null, rateLimitResetCredits?: RateLimitResetCreditsSummary | null, rateLimitUpsell?: JsonValue, rateLimitsByLimitId?: { [key in string]?: RateLimitSnapshot } | null };
