// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExperimentalFeatureStage } from "./ExperimentalFeatureStage";

export type ExperimentalFeature = { defaultEnabled: boolean, enabled: boolean, name: string, stage: ExperimentalFeatureStage, announcement?: string | null, description?: string | null, displayName?: string | null };
