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

export type ThreadResumeParams = { threadId: string, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, baseInstructions?: string | null, config?: { [key in string]?: JsonValue } | null, cwd?: string | null, developerInstructions?: string | null, dynamicTools?: Array<DynamicToolSpec> | null, excludeTurns?: boolean, history?: Array<ResponseItem> | null, initialTurnsPage?: ThreadResumeInitialTurnsPageParams | null, model?: string | null, modelProvider?: string | null, path?: string | null, permissions?: string | null, personality?: Personality | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, sandbox?: SandboxMode | null, serviceTier?: string | null };
