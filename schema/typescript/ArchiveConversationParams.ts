// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";

export type ArchiveConversationParams = { conversationId: ThreadId, rolloutPath: string };
