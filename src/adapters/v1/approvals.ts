/** Questions of a thread in the older words, and the four older answers in today's. */

import { parse } from "../../lib/schema.ts";
import type {
  CommandExecutionRequestApprovalParams,
  CommandExecutionRequestApprovalResponse,
  FileChangeRequestApprovalParams,
  FileChangeRequestApprovalResponse,
} from "../../protocol/approval.ts";
import { type ApplyPatchApprovalParams, type ExecCommandApprovalParams, ReviewDecision } from "../../protocol/v1/approval.ts";
import { changesOf } from "./items.ts";
import { parsedCommands, wordsOf } from "./spelling.ts";

export function commandQuestion(params: CommandExecutionRequestApprovalParams): ExecCommandApprovalParams {
  return {
    conversationId: params.threadId,
    callId: params.itemId,
    approvalId: null,
    command: params.parsedCmd ? [params.parsedCmd.command, ...params.parsedCmd.args] : wordsOf(params.command ?? ""),
    cwd: params.cwd ?? "",
    reason: params.reason ?? null,
    parsedCmd: parsedCommands(params.commandActions ?? []),
  };
}

export function patchQuestion(params: FileChangeRequestApprovalParams): ApplyPatchApprovalParams {
  return {
    conversationId: params.threadId,
    callId: params.itemId,
    fileChanges: changesOf(params.changes ?? []),
    reason: params.reason ?? null,
    grantRoot: params.grantRoot ?? null,
  };
}

/** Exact spelling, this family's words only; anything else is a no (CONFLICTS 25). */
export function decisionOf(answer: unknown): ReviewDecision {
  const given = typeof answer === "object" && answer !== null ? (answer as { decision?: unknown }).decision : undefined;
  return parse(ReviewDecision, given) ?? "denied";
}

export function commandDecision(decision: ReviewDecision): CommandExecutionRequestApprovalResponse {
  if (typeof decision === "object")
    return {
      decision: {
        acceptWithExecpolicyAmendment: { execpolicy_amendment: decision.approved_execpolicy_amendment.proposed_execpolicy_amendment },
      },
    };
  return { decision: plain[decision] };
}

export function patchDecision(decision: ReviewDecision): FileChangeRequestApprovalResponse {
  return { decision: typeof decision === "object" ? "accept" : plain[decision] };
}

const plain = { approved: "accept", approved_for_session: "acceptForSession", denied: "decline", abort: "cancel" } as const;
