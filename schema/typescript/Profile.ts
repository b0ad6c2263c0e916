// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "./ReasoningEffort";
import type { ReasoningSummary } from "./ReasoningSummary";
import type { Verbosity } from "./Verbosity";
import type { AskForApproval } from "./v2/AskForApproval";

export type Profile = { approvalPolicy?: AskForApproval | null, chatgptBaseUrl?: string | null, model?: string | null, modelProvider?: string | null, modelReasoningEffort?: ReasoningEffort | null, modelReasoningSummary?: ReasoningSummary | null, modelVerbosity?: Verbosity | null };
