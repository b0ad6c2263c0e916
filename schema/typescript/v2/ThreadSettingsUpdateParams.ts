// Generated from the method tables of Parley's app-server. Do not edit.

import type { CollaborationMode } from "../CollaborationMode";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { Personality } from "../Personality";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ReasoningSummary } from "../ReasoningSummary";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxPolicy } from "./SandboxPolicy";

export type ThreadSettingsUpdateParams = { threadId: string, cwd?: string | null, model?: string | null, effort?: ReasoningEffort | null, summary?: ReasoningSummary | null, serviceTier?: string | null, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, sandboxPolicy?: SandboxPolicy | null, personality?: Personality | null, disabledPluginIds?: Array<string> | null, collaborationMode?: CollaborationMode | null, permissions?: string | null, multiAgentMode?: MultiAgentMode | null };
