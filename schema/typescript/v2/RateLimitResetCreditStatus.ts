// Generated from the method tables of Parley's app-server. Do not edit.

export type RateLimitResetCreditStatus = "available" | "redeeming" | "redeemed" | "unknown";
