// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { NetworkPolicyAmendment } from "../NetworkPolicyAmendment";
import type { AdditionalPermissionProfile } from "./AdditionalPermissionProfile";
import type { ApprovalCommand } from "./ApprovalCommand";
import type { ApprovalRisk } from "./ApprovalRisk";
import type { CommandAction } from "./CommandAction";
import type { CommandExecutionApprovalDecision } from "./CommandExecutionApprovalDecision";
import type { CommandExecutionApprovalKind } from "./CommandExecutionApprovalKind";
import type { NetworkApprovalContext } from "./NetworkApprovalContext";

export type CommandExecutionRequestApprovalParams = { itemId: string, startedAtMs: number, threadId: string, turnId: string, additionalPermissions?: AdditionalPermissionProfile | null, approvalId?: string | null, availableDecisions?: Array<CommandExecutionApprovalDecision> | null, command?: string | null, commandActions?: Array<CommandAction> | null, cwd?: LegacyAppPathString | null, environmentId?: string | null, kind?: CommandExecutionApprovalKind, networkApprovalContext?: NetworkApprovalContext | null, proposedExecpolicyAmendment?: Array<string> | null, proposedNetworkPolicyAmendments?: Array<NetworkPolicyAmendment> | null, reason?: string | null, parsedCmd?: ApprovalCommand | null, risk?: ApprovalRisk | null, outsideSandbox?: boolean | null, amendmentCoversAll?: boolean, agentNickname?: string | null, agentRole?: string | null };
