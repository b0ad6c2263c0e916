/** Messages that wait in a thread until its turn has ended. Implemented in server/thread-queue.ts. */
import { array, boolean, type Infer, maybe, named, natural, object, string } from "../lib/schema.ts";
import { byThread, notification, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { UserInput } from "./item.ts";
import { limitInput } from "./limits.ts";
import { Turn } from "./turn.ts";

export const QueuedSubmission = named("QueuedSubmission", () =>
  object({ id: string(), input: array(UserInput()), clientUserMessageId: string() }),
);
export type QueuedSubmission = Infer<typeof QueuedSubmission>;

export const ThreadQueueAddParams = named("ThreadQueueAddParams", () =>
  object({ threadId: string(), clientUserMessageId: string(), input: array(UserInput()) }),
);
export type ThreadQueueAddParams = Infer<typeof ThreadQueueAddParams>;

export const ThreadQueueAddResponse = named("ThreadQueueAddResponse", () => object({ queuedSubmission: QueuedSubmission() }));
export type ThreadQueueAddResponse = Infer<typeof ThreadQueueAddResponse>;

export const ThreadQueueListParams = named("ThreadQueueListParams", () =>
  object({ threadId: string(), cursor: maybe(string()), limit: maybe(natural()) }),
);
export type ThreadQueueListParams = Infer<typeof ThreadQueueListParams>;

export const ThreadQueueListResponse = named("ThreadQueueListResponse", () =>
  object({ data: array(QueuedSubmission()), nextCursor: maybe(string()) }),
);
export type ThreadQueueListResponse = Infer<typeof ThreadQueueListResponse>;

export const ThreadQueueUpdateParams = named("ThreadQueueUpdateParams", () =>
  object({ threadId: string(), queuedSubmissionId: string(), input: array(UserInput()) }),
);
export type ThreadQueueUpdateParams = Infer<typeof ThreadQueueUpdateParams>;

export const ThreadQueueUpdateResponse = named("ThreadQueueUpdateResponse", () => object({ queuedSubmission: QueuedSubmission() }));
export type ThreadQueueUpdateResponse = Infer<typeof ThreadQueueUpdateResponse>;

export const ThreadQueueDeleteParams = named("ThreadQueueDeleteParams", () => object({ threadId: string(), queuedSubmissionId: string() }));
export type ThreadQueueDeleteParams = Infer<typeof ThreadQueueDeleteParams>;

export const ThreadQueueDeleteResponse = named("ThreadQueueDeleteResponse", () => object({ deleted: boolean() }));
export type ThreadQueueDeleteResponse = Infer<typeof ThreadQueueDeleteResponse>;

export const ThreadQueueReorderParams = named("ThreadQueueReorderParams", () =>
  object({ threadId: string(), queuedSubmissionIds: array(string()) }),
);
export type ThreadQueueReorderParams = Infer<typeof ThreadQueueReorderParams>;

export const ThreadQueueReorderResponse = named("ThreadQueueReorderResponse", () => object({}));
export type ThreadQueueReorderResponse = Infer<typeof ThreadQueueReorderResponse>;

export const ThreadQueueStartParams = named("ThreadQueueStartParams", () =>
  object({ threadId: string(), queuedSubmissionId: maybe(string()) }),
);
export type ThreadQueueStartParams = Infer<typeof ThreadQueueStartParams>;

export const ThreadQueueStartResponse = named("ThreadQueueStartResponse", () => object({ turn: Turn() }));
export type ThreadQueueStartResponse = Infer<typeof ThreadQueueStartResponse>;

export const ThreadQueueChangedNotification = named("ThreadQueueChangedNotification", () => object({ threadId: string() }));
export type ThreadQueueChangedNotification = Infer<typeof ThreadQueueChangedNotification>;

/** How many messages may wait in a thread. */
export const mostQueued = 100;

function limits({ input }: { input: readonly UserInput[] }): void {
  if (input.length === 0) throw invalidRequest("only user input can be added to the user-message queue");
  limitInput({ input });
}

export const threadQueueRequests = {
  /** Adds a message that starts a turn when the thread is idle: at once, or after the running turn and what waits before it. At most 100 wait. */
  "thread/queue/add": request({
    params: ThreadQueueAddParams,
    result: ThreadQueueAddResponse,
    order: byThread,
    experimental: true,
    limits,
  }),
  /** Lists the waiting messages, next one first. */
  "thread/queue/list": request({ params: ThreadQueueListParams, result: ThreadQueueListResponse, experimental: true }),
  /** Replaces the input of a waiting message. */
  "thread/queue/update": request({
    params: ThreadQueueUpdateParams,
    result: ThreadQueueUpdateResponse,
    order: byThread,
    experimental: true,
    limits,
  }),
  /** Removes a waiting message. */
  "thread/queue/delete": request({
    params: ThreadQueueDeleteParams,
    result: ThreadQueueDeleteResponse,
    order: byThread,
    experimental: true,
  }),
  /** Changes the order; all waiting messages must be named. */
  "thread/queue/reorder": request({
    params: ThreadQueueReorderParams,
    result: ThreadQueueReorderResponse,
    order: byThread,
    experimental: true,
    limits({ queuedSubmissionIds }) {
      if (queuedSubmissionIds.length > mostQueued)
        throw invalidRequest(`queuedSubmissionIds names more than the ${mostQueued} messages that can wait`);
    },
  }),
  /** Starts a turn with a waiting message, by default the next one. The thread must be idle: this continues the queue after an interrupt. */
  "thread/queue/start": request({ params: ThreadQueueStartParams, result: ThreadQueueStartResponse, order: byThread, experimental: true }),
};

export const threadQueueNotifications = {
  /** The waiting messages of a thread have changed, by any client or because one was started. */
  "thread/queue/changed": notification(ThreadQueueChangedNotification),
};
