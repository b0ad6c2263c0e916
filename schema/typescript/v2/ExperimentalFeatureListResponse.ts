// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExperimentalFeature } from "./ExperimentalFeature";

export type ExperimentalFeatureListResponse = { data: Array<ExperimentalFeature>, nextCursor?: string | null };
