// Generated from the method tables of Parley's app-server. Do not edit.

import type { RateLimitSnapshot } from "./RateLimitSnapshot";

export type AccountRateLimitsUpdatedNotification = { rateLimits: RateLimitSnapshot };
