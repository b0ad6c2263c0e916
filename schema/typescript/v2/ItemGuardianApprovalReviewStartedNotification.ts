// Generated from the method tables of Parley's app-server. Do not edit.

import type { GuardianApprovalReview } from "./GuardianApprovalReview";
import type { GuardianApprovalReviewAction } from "./GuardianApprovalReviewAction";

export type ItemGuardianApprovalReviewStartedNotification = { action: GuardianApprovalReviewAction, review: GuardianApprovalReview, reviewId: string, startedAtMs: number, threadId: string, turnId: string, targetItemId?: string | null };
