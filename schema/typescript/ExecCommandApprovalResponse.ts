// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReviewDecision } from "./ReviewDecision";

export type ExecCommandApprovalResponse = { decision: ReviewDecision };
