/** The v1 API as one set of tables: everything that 0.92 accepted and that 0.108 dropped. Registered by adapters/v1 in addition to the current tables. */
import { array, type Infer, maybe, named, natural, object, string } from "../../lib/schema.ts";
import { notification } from "../define.ts";
import { ReasoningEffort, ThreadId } from "../policy.ts";
import { v1AccountNotifications, v1AccountRequests } from "./account.ts";
import { v1CommandRequests } from "./command.ts";
import { v1ConversationRequests } from "./conversation.ts";
import { EventMsg, v1EventNotifications } from "./event.ts";

export const v1Requests = { ...v1ConversationRequests, ...v1AccountRequests, ...v1CommandRequests };

export const SessionConfiguredNotification = named("v1.SessionConfiguredNotification", () =>
  object({
    sessionId: ThreadId(),
    model: string(),
    reasoningEffort: maybe(ReasoningEffort()),
    historyLogId: natural(),
    historyEntryCount: natural(),
    initialMessages: maybe(array(EventMsg())),
    rolloutPath: string(),
  }),
);
export type SessionConfiguredNotification = Infer<typeof SessionConfiguredNotification>;

export const v1Notifications = {
  /** A conversation is ready, with its settings and its history. */
  sessionConfigured: notification(SessionConfiguredNotification),
  ...v1AccountNotifications,
  ...v1EventNotifications,
};
