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

export type ThreadStartParams = { allowProviderModelFallback?: boolean, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, baseInstructions?: string | null, config?: { [key in string]?: JsonValue } | null, cwd?: string | null, daybreakEnabled?: boolean | null, developerInstructions?: string | null, dynamicTools?: Array<DynamicToolSpec> | null, environments?: Array<TurnEnvironmentParams> | null, ephemeral?: boolean | null, experimentalRawEvents?: boolean, historyMode?: ThreadHistoryMode | null, mockExperimentalField?: string | null, model?: string | null, modelProvider?: string | null, multiAgentMode?: MultiAgentMode | null, permissions?: string | null, personality?: Personality | null, projectId?: string | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, sandbox?: SandboxMode | null, selectedCapabilityRoots?: Array<SelectedCapabilityRoot> | null, serviceName?: string | null, serviceTier?: string | null, sessionStartSource?: ThreadStartSource | null, threadSource?: ThreadSource | null };
