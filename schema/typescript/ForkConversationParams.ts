// Generated from the method tables of Parley's app-server. Do not edit.

import type { NewConversationParams } from "./NewConversationParams";
import type { ThreadId } from "./ThreadId";

export type ForkConversationParams = { conversationId?: ThreadId | null, overrides?: NewConversationParams | null, path?: string | null };
