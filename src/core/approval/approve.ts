/** The single path for everything that needs approval: existing decisions, the user's hooks, the person's answer, the audit log, the grant. */

import { decidedByHook } from "../hooks/tool-use.ts";
import type { ApprovalRequest, Decision, Ruling, Settled } from "../ports/approval.ts";
import type { Answer } from "../ports/audience.ts";
import type { AuditEntry, AuditSubject } from "../ports/audit.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { ruledByReview } from "./automatic.ts";

/** Every decision is in the audit log before this resolves; it rejects with AuditUnwritten when it cannot be. */
export async function approve(turn: ApprovalTurn, itemId: string, request: ApprovalRequest): Promise<Ruling> {
  const { audit } = turn.thread.ports;
  const subject = auditSubject(turn, itemId, request.about);
  const isRevived = turn.questions.isRevived(itemId);
  if (request.settled !== undefined && !isRevived) {
    request.announce?.();
    return await settle(turn, subject, request.settled);
  }
  const byHook = request.hooked === undefined ? undefined : await decidedByHook(turn, subject, request.hooked);
  request.announce?.();
  if (byHook !== undefined) return byHook.allows ? { allows: true } : { allows: false, by: "hook", ...reason(byHook.message) };
  if (request.noQuestions !== undefined) {
    const { by, text } = request.noQuestions;
    await settle(turn, subject, { decision: "refusedByPolicy", by });
    return { allows: false, by: "policy", text };
  }
  const sandboxed = request.sandboxed === undefined ? {} : { sandboxed: request.sandboxed };
  // The process that asked first has written the request.
  if (!isRevived) await audit.write({ ...subject, event: "requested", ...sandboxed });
  const reviewed = isRevived ? undefined : await ruledByReview(turn, subject, request);
  if (reviewed !== undefined) return reviewed;
  const answer = await request.ask();
  const decision = request.read(answer);
  await audit.write({ ...subject, event: "decided", decision: auditDecision(decision), by: answeredBy(answer) });
  if (decision.kind === "accept") {
    await request.grant?.(decision);
    return { allows: true };
  }
  if (decision.kind === "decline" && decision.remember === true) await request.forbid?.();
  if (decision.kind === "decline" && decision.because !== undefined)
    turn.notify("warning", { threadId: turn.thread.id, message: decision.because });
  if (decision.kind === "cancel" && decision.goesOn !== true) turn.interrupt();
  if (decision.kind === "cancel") return { allows: false, by: "cancel" };
  return { allows: false, by: decision.isUnreadable === true ? "unreadable" : "person" };
}

/** Writes a decision that was made without asking anybody to the audit log. */
export async function settle(turn: ApprovalTurn, subject: AuditSubject, settled: Settled): Promise<Ruling> {
  await turn.thread.ports.audit.write({ ...subject, event: "decided", ...settled });
  return settled.decision === "refusedByPolicy" ? { allows: false, by: "policy" } : { allows: true };
}

export const auditSubject = (turn: ApprovalTurn, itemId: string, about: ApprovalRequest["about"]): AuditSubject => ({
  threadId: turn.thread.id,
  turnId: turn.id,
  itemId,
  ...about,
});

/** The approval policy of a turn by its name, for the audit log. */
export const policyName = (turn: ApprovalTurn): string =>
  typeof turn.settings.approvalPolicy === "string" ? turn.settings.approvalPolicy : "granular";

function auditDecision(decision: Decision): NonNullable<AuditEntry["decision"]> {
  if (decision.kind === "decline" && decision.remember === true) return "declineAndRemember";
  if (decision.kind !== "accept") return decision.kind;
  if (decision.remember) return "acceptAndRemember";
  return decision.forSession ? "acceptForSession" : "accept";
}

/** What a refused action's item and the model are given: an answer that is no decision fails it, as in Codex. */
export const refusalOf = ({ by, text }: Extract<Ruling, { allows: false }>): { status: "declined" | "failed"; text: string } =>
  by === "review" && text !== undefined
    ? { status: "declined", text }
    : by === "unreadable"
      ? { status: "failed", text: "approval request failed" }
      : { status: "declined", text: "rejected by user" };

const answeredBy = (answer: Answer): string => (answer.kind === "answered" || answer.kind === "refused" ? answer.by : answer.kind);
const reason = (text: string | undefined): { text?: string } => (text === undefined ? {} : { text });
