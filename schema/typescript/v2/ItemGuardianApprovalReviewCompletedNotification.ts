// Generated from the method tables of Parley's app-server. Do not edit.

import type { AutoReviewDecisionSource } from "./AutoReviewDecisionSource";
import type { GuardianApprovalReview } from "./GuardianApprovalReview";
import type { GuardianApprovalReviewAction } from "./GuardianApprovalReviewAction";

export type ItemGuardianApprovalReviewCompletedNotification = { action: GuardianApprovalReviewAction, review: GuardianApprovalReview, reviewId: string, startedAtMs: number, threadId: string, turnId: string, targetItemId?: string | null, completedAtMs: number, decisionSource: AutoReviewDecisionSource };
