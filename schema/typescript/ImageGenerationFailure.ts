// Generated from the method tables of Parley's app-server. Do not edit.

export type ImageGenerationFailure = { type: "usageLimitExceeded", limitId: string, resetsAt?: number | null };
