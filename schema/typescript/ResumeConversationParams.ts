// Generated from the method tables of Parley's app-server. Do not edit.

import type { NewConversationParams } from "./NewConversationParams";
import type { ResponseItem } from "./ResponseItem";
import type { ThreadId } from "./ThreadId";

export type ResumeConversationParams = { conversationId?: ThreadId | null, history?: Array<ResponseItem> | null, overrides?: NewConversationParams | null, path?: string | null };
