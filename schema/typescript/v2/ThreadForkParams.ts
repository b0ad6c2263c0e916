// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { JsonValue } from "../serde_json/JsonValue";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxMode } from "./SandboxMode";
import type { ThreadSource } from "./ThreadSource";

export type ThreadForkParams = { threadId: string, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, attachToSource?: boolean, baseInstructions?: string | null, beforeTurnId?: string | null, config?: { [key in string]?: JsonValue } | null, cwd?: string | null, deferGoalContinuation?: boolean, developerInstructions?: string | null, ephemeral?: boolean, excludeTurns?: boolean, experimentalDisablePredictionMcp?: boolean, experimentalPredictionMode?: boolean, lastTurnId?: string | null, model?: string | null, modelProvider?: string | null, path?: string | null, permissions?: string | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, sandbox?: SandboxMode | null, serviceTier?: string | null, threadSource?: ThreadSource | null };
