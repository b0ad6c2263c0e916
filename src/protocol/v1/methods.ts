/** The older API as one set of tables: everything that 0.92 took and that 0.108 dropped. Registered by adapters/v1 beside today's tables. */
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
  /** A conversation is ready, with its settings and what was said in it. */
  sessionConfigured: notification(SessionConfiguredNotification),
  ...v1AccountNotifications,
  ...v1EventNotifications,
};
