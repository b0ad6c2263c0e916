// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";

export type InterruptConversationParams = { conversationId: ThreadId };
