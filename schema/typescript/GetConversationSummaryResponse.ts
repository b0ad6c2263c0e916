// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConversationSummary } from "./ConversationSummary";

export type GetConversationSummaryResponse = { summary: ConversationSummary };
