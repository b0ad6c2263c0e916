// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "../ReasoningEffort";

export type NewThreadModelDefaults = { model?: string | null, modelReasoningEffort?: ReasoningEffort | null, serviceTier?: string | null };
