// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { Personality } from "../Personality";
import type { ResponseItem } from "../ResponseItem";
import type { JsonValue } from "../serde_json/JsonValue";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { DynamicToolSpec } from "./DynamicToolSpec";
import type { SandboxMode } from "./SandboxMode";
import type { ThreadResumeInitialTurnsPageParams } from "./ThreadResumeInitialTurnsPageParams";

export type ThreadResumeParams = { threadId: string, cwd?: string | null, model?: string | null, modelProvider?: string | null, serviceTier?: string | null, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, personality?: Personality | null, baseInstructions?: string | null, developerInstructions?: string | null, permissions?: string | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, sandbox?: SandboxMode | null, config?: { [key in string]?: JsonValue } | null, dynamicTools?: Array<DynamicToolSpec> | null, excludeTurns?: boolean, history?: Array<ResponseItem> | null, initialTurnsPage?: ThreadResumeInitialTurnsPageParams | null, path?: string | null };
