/** Port: the automatic review of an approval, where the settings let a model decide in place of the person. */
import type { GuardianApprovalReviewAction, GuardianRiskLevel, GuardianUserAuthorization } from "../../protocol/approval-review.ts";

/** An action as the reviewer judges it. */
export interface ReviewedAction {
  /** For clients. */
  readonly shown: GuardianApprovalReviewAction;
  /** Complete, as JSON, for the reviewer; also what makes two actions the same. */
  readonly text: string;
}

export interface ReviewVerdict {
  readonly reviewId: string;
  /** Anything but "approved" is no approval: "failed" is a reviewer that could not be asked or gave no readable answer. */
  readonly status: "approved" | "denied" | "timedOut" | "failed";
  readonly risk?: GuardianRiskLevel | undefined;
  readonly authorization?: GuardianUserAuthorization | undefined;
  /** Its reason, or why there is no decision. */
  readonly rationale: string;
}
