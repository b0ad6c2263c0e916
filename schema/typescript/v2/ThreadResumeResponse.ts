// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { CollaborationMode } from "../CollaborationMode";
import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ActivePermissionProfile } from "./ActivePermissionProfile";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxPolicy } from "./SandboxPolicy";
import type { Thread } from "./Thread";
import type { TurnsPage } from "./TurnsPage";

export type ThreadResumeResponse = { approvalPolicy: AskForApproval, approvalsReviewer: ApprovalsReviewer, cwd: AbsolutePathBuf, model: string, modelProvider: string, sandbox: SandboxPolicy, thread: Thread, reasoningEffort?: ReasoningEffort | null, serviceTier?: string | null, activePermissionProfile?: ActivePermissionProfile | null, collaborationMode?: CollaborationMode | null, disabledPluginIds?: Array<string>, initialTurnsPage?: TurnsPage | null, instructionSources?: Array<LegacyAppPathString>, itemsBackwardsCursor?: string | null, multiAgentMode?: MultiAgentMode, runtimeWorkspaceRoots?: Array<AbsolutePathBuf>, turnsBackwardsCursor?: string | null };
