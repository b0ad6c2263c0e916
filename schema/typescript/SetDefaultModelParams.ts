// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "./ReasoningEffort";

export type SetDefaultModelParams = { model?: string | null, reasoningEffort?: ReasoningEffort | null };
