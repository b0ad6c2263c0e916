// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ActivePermissionProfile } from "./ActivePermissionProfile";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxPolicy } from "./SandboxPolicy";
import type { Thread } from "./Thread";

export type ThreadStartResponse = { approvalPolicy: AskForApproval, approvalsReviewer: ApprovalsReviewer, cwd: AbsolutePathBuf, model: string, modelProvider: string, sandbox: SandboxPolicy, thread: Thread, reasoningEffort?: ReasoningEffort | null, serviceTier?: string | null, activePermissionProfile?: ActivePermissionProfile | null, disabledPluginIds?: Array<string>, instructionSources?: Array<LegacyAppPathString>, multiAgentMode?: MultiAgentMode, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> };
