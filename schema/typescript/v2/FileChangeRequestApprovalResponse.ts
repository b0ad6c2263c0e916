// Generated from the method tables of Parley's app-server. Do not edit.

import type { ApprovalAcceptSettings } from "./ApprovalAcceptSettings";
import type { FileChangeApprovalDecision } from "./FileChangeApprovalDecision";

export type FileChangeRequestApprovalResponse = { decision: FileChangeApprovalDecision, acceptSettings?: ApprovalAcceptSettings | null };
