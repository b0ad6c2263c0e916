// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "./ReasoningEffort";
import type { ThreadId } from "./ThreadId";

export type NewConversationResponse = { conversationId: ThreadId, model: string, reasoningEffort?: ReasoningEffort | null, rolloutPath: string };
