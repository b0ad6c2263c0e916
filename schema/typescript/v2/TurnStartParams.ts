// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { CollaborationMode } from "../CollaborationMode";
import type { MultiAgentMode } from "../MultiAgentMode";
import type { Personality } from "../Personality";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ReasoningSummary } from "../ReasoningSummary";
import type { JsonValue } from "../serde_json/JsonValue";
import type { AdditionalContextEntry } from "./AdditionalContextEntry";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { CyberAccessProgram } from "./CyberAccessProgram";
import type { SandboxPolicy } from "./SandboxPolicy";
import type { TurnEnvironmentParams } from "./TurnEnvironmentParams";
import type { TurnToolOutput } from "./TurnToolOutput";
import type { UserInput } from "./UserInput";

export type TurnStartParams = { threadId: string, input: Array<UserInput>, cwd?: string | null, model?: string | null, effort?: ReasoningEffort | null, summary?: ReasoningSummary | null, serviceTier?: string | null, approvalPolicy?: AskForApproval | null, approvalsReviewer?: ApprovalsReviewer | null, sandboxPolicy?: SandboxPolicy | null, personality?: Personality | null, disabledPluginIds?: Array<string> | null, collaborationMode?: CollaborationMode | null, permissions?: string | null, runtimeWorkspaceRoots?: Array<AbsolutePathBuf> | null, serviceTierForTurn?: string | null, additionalContext?: { [key in string]?: AdditionalContextEntry } | null, clientUserMessageId?: string | null, cyberAccessProgram?: CyberAccessProgram | null, environments?: Array<TurnEnvironmentParams> | null, multiAgentMode?: MultiAgentMode | null, outputSchema?: JsonValue, parentTurnId?: string | null, responsesapiClientMetadata?: { [key in string]?: string } | null, responsesapiClientMetadataPatch?: { [key in string]?: string } | null, rootTurnId?: string | null, toolOutput?: TurnToolOutput | null, turnTrigger?: string | null };
