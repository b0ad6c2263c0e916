// Generated from the method tables of Parley's app-server. Do not edit.

import type { RateLimitWindow } from "./RateLimitWindow";

export type RateLimitSnapshot = { primary?: RateLimitWindow | null, secondary?: RateLimitWindow | null, credits?: { has_credits: boolean, unlimited: boolean, balance?: string | null } | null, plan_type?: string | null };
