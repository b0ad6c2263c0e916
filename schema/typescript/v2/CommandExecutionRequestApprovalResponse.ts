// Generated from the method tables of Parley's app-server. Do not edit.

import type { ApprovalAcceptSettings } from "./ApprovalAcceptSettings";
import type { CommandExecutionApprovalDecision } from "./CommandExecutionApprovalDecision";

export type CommandExecutionRequestApprovalResponse = { decision: CommandExecutionApprovalDecision, acceptSettings?: ApprovalAcceptSettings | null };
