/** Approvals that a model reviews in place of the person: what it approves runs; what it does not goes to the person, where there is one. */
import type { ApprovalRequest, Ruling } from "../ports/approval.ts";
import type { ReviewVerdict } from "../ports/approval-review.ts";
import type { AuditSubject } from "../ports/audit.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { reviewedAction } from "./reviewed-action.ts";

/** undefined when the person decides. Every decision is in the audit log before this resolves. */
export async function ruledByReview(turn: ApprovalTurn, subject: AuditSubject, request: ApprovalRequest): Promise<Ruling | undefined> {
  if (!isReviewed(turn.settings)) return undefined;
  const { ports, denied } = turn.thread;
  const action = reviewedAction(request, turn);
  if (denied.takeRetry(action.text)) {
    await ports.audit.write({ ...subject, event: "decided", decision: "accept", by: "the user, after the automatic review had denied it" });
    return { allows: true };
  }
  const verdict = await turn.review(action, subject.itemId);
  const isApproved = verdict.status === "approved";
  const decision = isApproved ? "allowedByReview" : "refusedByReview";
  await ports.audit.write({ ...subject, event: "decided", decision, by: `automatic review: ${described(verdict)}`.slice(0, maxReason) });
  turn.reviews.add(verdict.status);
  if (isApproved) return { allows: true };
  if (verdict.status === "denied") denied.add(verdict.reviewId, action);
  // Whoever is there decides what the reviewer did not allow.
  if (turn.thread.clients.isInteractive && ports.audience.isWatched(turn.thread.id)) return undefined;
  if (turn.reviews.isTooMuch) stop(turn);
  return { allows: false, by: "review", text: refusal(verdict) };
}

const maxReason = 400;

/** As in Codex: `untrusted` means that a person wants to see everything. */
const isReviewed = ({ approvalsReviewer, approvalPolicy }: ThreadSettings): boolean =>
  approvalsReviewer !== "user" && (approvalPolicy === "on-request" || typeof approvalPolicy === "object");

const described = ({ status, risk, rationale }: ReviewVerdict): string =>
  `${status}${risk === undefined ? "" : `, risk ${risk}`}: ${rationale}`;

function stop(turn: ApprovalTurn): void {
  const message = `Automatic approval review denied too much in this turn (${turn.reviews.inARow} in a row, ${turn.reviews.ofTheLast} of the last ${turn.reviews.kept} reviews); the turn is interrupted.`;
  turn.notify("guardianWarning", { threadId: turn.thread.id, message });
  turn.interrupt();
}

/** For the model. */
function refusal({ status, rationale }: ReviewVerdict): string {
  if (status === "denied")
    return `rejected by the automatic review because of its risk. Reason: ${rationale}\nDo not try to reach the same by a workaround, another tool or in pieces. Go on with something clearly safer, or stop and ask the user, who can approve this action.`;
  return `not approved: the automatic review gave no decision (${rationale}). That says nothing about the action; try it once more, or ask the user.`;
}
