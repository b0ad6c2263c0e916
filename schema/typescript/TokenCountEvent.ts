// Generated from the method tables of Parley's app-server. Do not edit.

import type { RateLimitSnapshot } from "./RateLimitSnapshot";
import type { TokenUsageInfo } from "./TokenUsageInfo";

export type TokenCountEvent = { type: "token_count", info?: TokenUsageInfo | null, rate_limits?: RateLimitSnapshot | null };
