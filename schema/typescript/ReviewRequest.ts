// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReviewTarget } from "./v2/ReviewTarget";

export type ReviewRequest = { type: "entered_review_mode", target: ReviewTarget, user_facing_hint?: string | null };
