// Generated from the method tables of Parley's app-server. Do not edit.

import type { ApprovalFileChange } from "./ApprovalFileChange";

export type FileChangeRequestApprovalParams = { itemId: string, startedAtMs: number, threadId: string, turnId: string, grantRoot?: string | null, reason?: string | null, changes?: Array<ApprovalFileChange> | null, agentNickname?: string | null, agentRole?: string | null };
