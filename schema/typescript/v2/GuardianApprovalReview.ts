// Generated from the method tables of Parley's app-server. Do not edit.

import type { GuardianApprovalReviewStatus } from "./GuardianApprovalReviewStatus";
import type { GuardianRiskLevel } from "./GuardianRiskLevel";
import type { GuardianUserAuthorization } from "./GuardianUserAuthorization";

export type GuardianApprovalReview = { status: GuardianApprovalReviewStatus, rationale?: string | null, riskLevel?: GuardianRiskLevel | null, userAuthorization?: GuardianUserAuthorization | null };
