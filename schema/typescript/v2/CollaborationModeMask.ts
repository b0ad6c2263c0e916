// Generated from the method tables of Parley's app-server. Do not edit.

import type { ModeKind } from "../ModeKind";
import type { ReasoningEffort } from "../ReasoningEffort";

export type CollaborationModeMask = { name: string, mode?: ModeKind | null, model?: string | null, reasoning_effort?: ReasoningEffort | null | null };
