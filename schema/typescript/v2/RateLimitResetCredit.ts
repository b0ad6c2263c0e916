// Generated from the method tables of Parley's app-server. Do not edit.

import type { RateLimitResetCreditStatus } from "./RateLimitResetCreditStatus";
import type { RateLimitResetType } from "./RateLimitResetType";

export type RateLimitResetCredit = { grantedAt: number, id: string, resetType: RateLimitResetType, status: RateLimitResetCreditStatus, description?: string | null, expiresAt?: number | null, title?: string | null };
