// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { JsonValue } from "../serde_json/JsonValue";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { SandboxMode } from "./SandboxMode";
import type { ThreadSource } from "./ThreadSource";

export type ThreadForkParams = { threadId: string, cwd?: string | null, model?: string | null, modelProvider?: string | null, serviceTier?: string | null, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, baseInstructions?: string | null, developerInstructions?: string | null, permissions?: string | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, sandbox?: SandboxMode | null, attachToSource?: boolean, beforeTurnId?: string | null, config?: { [key in string]?: JsonValue } | null, deferGoalContinuation?: boolean, ephemeral?: boolean, excludeTurns?: boolean, experimentalDisablePredictionMcp?: boolean, experimentalPredictionMode?: boolean, lastTurnId?: string | null, path?: string | null, threadSource?: ThreadSource | null };
