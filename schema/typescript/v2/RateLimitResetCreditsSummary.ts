// Generated from the method tables of Parley's app-server. Do not edit.

import type { RateLimitResetCredit } from "./RateLimitResetCredit";

export type RateLimitResetCreditsSummary = { availableCount: number, credits?: Array<RateLimitResetCredit> | null };
