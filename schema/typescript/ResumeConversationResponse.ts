// Generated from the method tables of Parley's app-server. Do not edit.

import type { EventMsg } from "./EventMsg";
import type { ThreadId } from "./ThreadId";

export type ResumeConversationResponse = { conversationId: ThreadId, initialMessages?: Array<EventMsg> | null, model: string, rolloutPath: string };
