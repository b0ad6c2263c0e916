/** Translates a thread's questions into the v1 form, and the four v1 answers into current ones. */

import { parse } from "../../lib/schema.ts";
import type {
  CommandExecutionRequestApprovalParams,
  CommandExecutionRequestApprovalResponse,
  FileChangeRequestApprovalParams,
  FileChangeRequestApprovalResponse,
} from "../../protocol/approval.ts";
import type { DynamicToolCallParams } from "../../protocol/dynamic-tool.ts";
import type { ToolRequestUserInputParams } from "../../protocol/user-input.ts";
import { type ApplyPatchApprovalParams, type ExecCommandApprovalParams, ReviewDecision } from "../../protocol/v1/approval.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import { changesOf } from "./items.ts";
import { parsedCommands, splitCommand } from "./spelling.ts";

export function commandQuestion(params: CommandExecutionRequestApprovalParams): ExecCommandApprovalParams {
  return {
    conversationId: params.threadId,
    callId: params.itemId,
    approvalId: null,
    command: splitCommand(params.command ?? ""),
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

/** The event that accompanies the question. */
export function commandAsked(params: CommandExecutionRequestApprovalParams): EventMessage {
  const { command, cwd, reason, parsedCmd } = commandQuestion(params);
  return {
    type: "exec_approval_request",
    call_id: params.itemId,
    turn_id: params.turnId,
    command,
    cwd,
    reason: reason ?? null,
    parsed_cmd: parsedCmd,
    proposed_execpolicy_amendment: params.proposedExecpolicyAmendment ?? null,
  };
}

export function patchAsked(params: FileChangeRequestApprovalParams): EventMessage {
  const { fileChanges, reason, grantRoot } = patchQuestion(params);
  return {
    type: "apply_patch_approval_request",
    call_id: params.itemId,
    turn_id: params.turnId,
    changes: fileChanges,
    reason: reason ?? null,
    grant_root: grantRoot ?? null,
  };
}

/** The model's questions: this API has no request for them, only the event. */
export function questionsAsked({ itemId, turnId, questions }: ToolRequestUserInputParams): EventMessage {
  return {
    type: "request_user_input",
    call_id: itemId,
    turn_id: turnId,
    questions: questions.map(({ id, header, question, isOther = false, isSecret = false, options }) => ({
      ...{ id, header, question, isOther, isSecret, options: options ?? null },
    })),
  };
}

/** A call of a tool that a newer client of the conversation has defined. Its event has the names of the newer API. */
export const toolCalled = ({ callId, turnId, tool, arguments: given }: DynamicToolCallParams): EventMessage => ({
  ...{ type: "dynamic_tool_call_request", callId, turnId, tool, arguments: given },
});

/** Accepts only the exact decisions of this API; anything else is a no (docs/from-codex.md). */
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
  // No rule is offered for edits: an answer that asks for one was meant for something else.
  return { decision: typeof decision === "object" ? "decline" : plain[decision] };
}

const plain = { approved: "accept", approved_for_session: "acceptForSession", denied: "decline", abort: "cancel" } as const;
