// Generated from the method tables of Parley's app-server. Do not edit.

import type { EventMsg } from "./EventMsg";
import type { ReasoningEffort } from "./ReasoningEffort";
import type { ThreadId } from "./ThreadId";

export type SessionConfiguredNotification = { sessionId: ThreadId, model: string, reasoningEffort?: ReasoningEffort | null, historyLogId: number, historyEntryCount: number, initialMessages?: Array<EventMsg> | null, rolloutPath: string };
