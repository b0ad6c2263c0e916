// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { CollaborationMode } from "../CollaborationMode";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { Personality } from "../Personality";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ReasoningSummary } from "../ReasoningSummary";
import type { ActivePermissionProfile } from "./ActivePermissionProfile";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxPolicy } from "./SandboxPolicy";

export type ThreadSettings = { approvalPolicy: AskForApproval, approvalsReviewer: ApprovalsReviewer, collaborationMode: CollaborationMode, cwd: AbsolutePathBuf, model: string, modelProvider: string, sandboxPolicy: SandboxPolicy, effort?: ReasoningEffort | null, summary?: ReasoningSummary | null, serviceTier?: string | null, personality?: Personality | null, activePermissionProfile?: ActivePermissionProfile | null, disabledPluginIds?: Array<string>, multiAgentMode?: MultiAgentMode };
