// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { Personality } from "../Personality";
import type { JsonValue } from "../serde_json/JsonValue";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { DynamicToolSpec } from "./DynamicToolSpec";
import type { SandboxMode } from "./SandboxMode";
import type { SelectedCapabilityRoot } from "./SelectedCapabilityRoot";
import type { ThreadHistoryMode } from "./ThreadHistoryMode";
import type { ThreadSource } from "./ThreadSource";
import type { ThreadStartSource } from "./ThreadStartSource";
import type { TurnEnvironmentParams } from "./TurnEnvironmentParams";

export type ThreadStartParams = { cwd?: string | null, model?: string | null, modelProvider?: string | null, serviceTier?: string | null, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, personality?: Personality | null, baseInstructions?: string | null, developerInstructions?: string | null, permissions?: string | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, sandbox?: SandboxMode | null, allowProviderModelFallback?: boolean, config?: { [key in string]?: JsonValue } | null, daybreakEnabled?: boolean | null, dynamicTools?: Array<DynamicToolSpec> | null, environments?: Array<TurnEnvironmentParams> | null, ephemeral?: boolean | null, experimentalRawEvents?: boolean, historyMode?: ThreadHistoryMode | null, mockExperimentalField?: string | null, multiAgentMode?: MultiAgentMode | null, projectId?: string | null, selectedCapabilityRoots?: Array<SelectedCapabilityRoot> | null, serviceName?: string | null, sessionStartSource?: ThreadStartSource | null, threadSource?: ThreadSource | null };
