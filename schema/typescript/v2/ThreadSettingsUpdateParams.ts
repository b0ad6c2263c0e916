// Generated from the method tables of Parley's app-server. Do not edit.

import type { CollaborationMode } from "../CollaborationMode";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { Personality } from "../Personality";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ReasoningSummary } from "../ReasoningSummary";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxPolicy } from "./SandboxPolicy";

export type ThreadSettingsUpdateParams = { threadId: string, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, collaborationMode?: CollaborationMode | null, cwd?: string | null, disabledPluginIds?: Array<string> | null, effort?: ReasoningEffort | null, model?: string | null, multiAgentMode?: MultiAgentMode | null, permissions?: string | null, personality?: Personality | null, sandboxPolicy?: SandboxPolicy | null, serviceTier?: string | null, summary?: ReasoningSummary | null };
