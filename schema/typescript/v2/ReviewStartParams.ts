// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReviewDelivery } from "./ReviewDelivery";
import type { ReviewTarget } from "./ReviewTarget";

export type ReviewStartParams = { threadId: string, target: ReviewTarget, delivery?: ReviewDelivery | null };
