// Generated from the method tables of Parley's app-server. Do not edit.

import type { TokenUsageBreakdown } from "./TokenUsageBreakdown";

export type RawResponseCompletedNotification = { responseId: string, threadId: string, turnId: string, usage?: TokenUsageBreakdown | null };
