// Generated from the method tables of Parley's app-server. Do not edit.

import type { PlanType } from "../PlanType";
import type { CreditsSnapshot } from "./CreditsSnapshot";
import type { RateLimitReachedType } from "./RateLimitReachedType";
import type { RateLimitWindow } from "./RateLimitWindow";
import type { SpendControlLimitSnapshot } from "./SpendControlLimitSnapshot";

export type RateLimitSnapshot = { credits?: CreditsSnapshot | null, individualLimit?: SpendControlLimitSnapshot | null, limitId?: string | null, limitName?: string | null, normalModelSlug?: string | null, planType?: PlanType | null, primary?: RateLimitWindow | null, rateLimitReachedType?: RateLimitReachedType | null, secondary?: RateLimitWindow | null, spendControlReached?: boolean | null };
