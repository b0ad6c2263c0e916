// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReviewOutputEvent } from "./ReviewOutputEvent";

export type ExitedReviewModeEvent = { type: "exited_review_mode", review_output?: ReviewOutputEvent | null };
