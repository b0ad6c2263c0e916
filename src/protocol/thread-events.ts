/** Notifications about a thread as a whole. Sent by server/subscriptions.ts to its subscribers. */
import { type Infer, maybe, named, object, string } from "../lib/schema.ts";
import { notification } from "./define.ts";
import { RequestId, Thread, ThreadReadState, ThreadStatus, ThreadTokenUsage } from "./thread.ts";

export const ThreadStartedNotification = named("ThreadStartedNotification", () => object({ thread: Thread() }));
export type ThreadStartedNotification = Infer<typeof ThreadStartedNotification>;

export const ThreadStatusChangedNotification = named("ThreadStatusChangedNotification", () =>
  object({ status: ThreadStatus(), threadId: string() }),
);
export type ThreadStatusChangedNotification = Infer<typeof ThreadStatusChangedNotification>;

export const ThreadArchivedNotification = named("ThreadArchivedNotification", () => object({ threadId: string() }));
export type ThreadArchivedNotification = Infer<typeof ThreadArchivedNotification>;

export const ThreadUnarchivedNotification = named("ThreadUnarchivedNotification", () => object({ threadId: string() }));
export type ThreadUnarchivedNotification = Infer<typeof ThreadUnarchivedNotification>;

export const ThreadDeletedNotification = named("ThreadDeletedNotification", () => object({ threadId: string() }));
export type ThreadDeletedNotification = Infer<typeof ThreadDeletedNotification>;

export const ThreadClosedNotification = named("ThreadClosedNotification", () => object({ threadId: string() }));
export type ThreadClosedNotification = Infer<typeof ThreadClosedNotification>;

export const ThreadNameUpdatedNotification = named("ThreadNameUpdatedNotification", () =>
  object({ threadId: string(), threadName: maybe(string()) }),
);
export type ThreadNameUpdatedNotification = Infer<typeof ThreadNameUpdatedNotification>;

export const ThreadRevertedNotification = named("ThreadRevertedNotification", () => object({ threadId: string() }));
export type ThreadRevertedNotification = Infer<typeof ThreadRevertedNotification>;

export const ContextCompactedNotification = named("ContextCompactedNotification", () => object({ threadId: string(), turnId: string() }));
export type ContextCompactedNotification = Infer<typeof ContextCompactedNotification>;

export const ThreadTokenUsageUpdatedNotification = named("ThreadTokenUsageUpdatedNotification", () =>
  object({ threadId: string(), tokenUsage: ThreadTokenUsage(), turnId: string() }),
);
export type ThreadTokenUsageUpdatedNotification = Infer<typeof ThreadTokenUsageUpdatedNotification>;

export const ThreadReadStateChangedNotification = named("ThreadReadStateChangedNotification", () =>
  object({ readState: ThreadReadState(), threadId: string() }),
);
export type ThreadReadStateChangedNotification = Infer<typeof ThreadReadStateChangedNotification>;

/** `answeredBy` names the client that answered, for all the others; absent for that client itself and if nobody answered. */
export const ServerRequestResolvedNotification = named("ServerRequestResolvedNotification", () =>
  object({ requestId: RequestId(), threadId: string(), answeredBy: maybe(string()) }),
);
export type ServerRequestResolvedNotification = Infer<typeof ServerRequestResolvedNotification>;

export const threadNotifications = {
  /** A new thread exists; sent to every connection. */
  "thread/started": notification(ThreadStartedNotification),
  /** A thread became idle, active, waiting for the user, or broken. */
  "thread/status/changed": notification(ThreadStatusChangedNotification),
  /** A thread was archived. */
  "thread/archived": notification(ThreadArchivedNotification),
  /** A thread was restored from the archive. */
  "thread/unarchived": notification(ThreadUnarchivedNotification),
  /** A thread was deleted permanently. */
  "thread/deleted": notification(ThreadDeletedNotification),
  /** A thread without subscribers was closed to save memory. */
  "thread/closed": notification(ThreadClosedNotification),
  /** A thread's title has changed. */
  "thread/name/updated": notification(ThreadNameUpdatedNotification),
  /** Turns were removed from a thread's history. */
  "thread/reverted": notification(ThreadRevertedNotification),
  /** The history was summarized; for clients older than the `contextCompaction` item. */
  "thread/compacted": notification(ContextCompactedNotification),
  /** Tokens used by the last model call and in total. */
  "thread/tokenUsage/updated": notification(ThreadTokenUsageUpdatedNotification),
  /** A thread was read, or marked as unread. */
  "thread/readState/changed": notification(ThreadReadStateChangedNotification),
  /** A request of the server was answered or is void; all other clients can dismiss it. */
  "serverRequest/resolved": notification(ServerRequestResolvedNotification),
};
