// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "./ReasoningEffort";

export type Settings = { model: string, developer_instructions?: string | null, reasoning_effort?: ReasoningEffort | null };
