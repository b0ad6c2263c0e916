// Generated from the method tables of Parley's app-server. Do not edit.

export type AutoReviewRequirements = { ignoreRules?: Array<string> | null, requiredOnModels?: Array<string> | null };
