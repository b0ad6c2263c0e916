/** Params and results of changes to a thread: archive and restore, title, history. */
import { type Infer, literals, maybe, named, natural, object, string } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { limitText } from "./limits.ts";
import { Thread } from "./thread.ts";

export const ThreadArchiveParams = named("ThreadArchiveParams", () => object({ threadId: string() }));
export type ThreadArchiveParams = Infer<typeof ThreadArchiveParams>;

export const ThreadArchiveResponse = named("ThreadArchiveResponse", () => object({}));
export type ThreadArchiveResponse = Infer<typeof ThreadArchiveResponse>;

export const ThreadUnarchiveParams = named("ThreadUnarchiveParams", () => object({ threadId: string() }));
export type ThreadUnarchiveParams = Infer<typeof ThreadUnarchiveParams>;

export const ThreadUnarchiveResponse = named("ThreadUnarchiveResponse", () => object({ thread: Thread() }));
export type ThreadUnarchiveResponse = Infer<typeof ThreadUnarchiveResponse>;

export const ThreadDeleteParams = named("ThreadDeleteParams", () => object({ threadId: string() }));
export type ThreadDeleteParams = Infer<typeof ThreadDeleteParams>;

export const ThreadDeleteResponse = named("ThreadDeleteResponse", () => object({}));
export type ThreadDeleteResponse = Infer<typeof ThreadDeleteResponse>;

export const ThreadUnsubscribeParams = named("ThreadUnsubscribeParams", () => object({ threadId: string() }));
export type ThreadUnsubscribeParams = Infer<typeof ThreadUnsubscribeParams>;

export const ThreadUnsubscribeResponse = named("ThreadUnsubscribeResponse", () => object({ status: ThreadUnsubscribeStatus() }));
export type ThreadUnsubscribeResponse = Infer<typeof ThreadUnsubscribeResponse>;

export const ThreadSetNameParams = named("ThreadSetNameParams", () => object({ threadId: string(), name: string() }));
export type ThreadSetNameParams = Infer<typeof ThreadSetNameParams>;

export const ThreadSetNameResponse = named("ThreadSetNameResponse", () => object({}));
export type ThreadSetNameResponse = Infer<typeof ThreadSetNameResponse>;

export const ThreadRollbackParams = named("ThreadRollbackParams", () => object({ threadId: string(), numTurns: natural() }));
export type ThreadRollbackParams = Infer<typeof ThreadRollbackParams>;

export const ThreadRollbackResponse = named("ThreadRollbackResponse", () => object({ thread: Thread() }));
export type ThreadRollbackResponse = Infer<typeof ThreadRollbackResponse>;

export const ThreadRevertParams = named("ThreadRevertParams", () => object({ threadId: string(), beforeTurnId: string() }));
export type ThreadRevertParams = Infer<typeof ThreadRevertParams>;

export const ThreadRevertResponse = named("ThreadRevertResponse", () =>
  object({ thread: Thread(), itemsBackwardsCursor: maybe(string()), turnsBackwardsCursor: maybe(string()) }),
);
export type ThreadRevertResponse = Infer<typeof ThreadRevertResponse>;

export const ThreadCompactStartParams = named("ThreadCompactStartParams", () => object({ threadId: string() }));
export type ThreadCompactStartParams = Infer<typeof ThreadCompactStartParams>;

export const ThreadCompactStartResponse = named("ThreadCompactStartResponse", () => object({}));
export type ThreadCompactStartResponse = Infer<typeof ThreadCompactStartResponse>;

export const ThreadUnsubscribeStatus = named("ThreadUnsubscribeStatus", () => literals("notLoaded", "notSubscribed", "unsubscribed"));
export type ThreadUnsubscribeStatus = Infer<typeof ThreadUnsubscribeStatus>;

export const threadChangeRequests = {
  /** Archives a thread: it is kept, and listed only among the archived ones. */
  "thread/archive": request({ params: ThreadArchiveParams, result: ThreadArchiveResponse, order: byThread }),
  /** Restores an archived thread. */
  "thread/unarchive": request({ params: ThreadUnarchiveParams, result: ThreadUnarchiveResponse, order: byThread }),
  /** Deletes a thread permanently. */
  "thread/delete": request({ params: ThreadDeleteParams, result: ThreadDeleteResponse, order: byThread }),
  /** Unsubscribes this connection from a thread. */
  "thread/unsubscribe": request({ params: ThreadUnsubscribeParams, result: ThreadUnsubscribeResponse, order: byThread }),
  /** Sets a thread's title. */
  "thread/name/set": request({
    params: ThreadSetNameParams,
    result: ThreadSetNameResponse,
    order: byThread,
    limits: ({ name }) => limitText("thread name", name),
  }),
  /** Removes the last turns from the history; files stay as they are. */
  "thread/rollback": request({
    params: ThreadRollbackParams,
    result: ThreadRollbackResponse,
    order: byThread,
    // A client that sends it twice, as a key pressed twice does, loses no second turn.
    alone: "rollback already in progress for this thread",
    limits({ numTurns }) {
      if (numTurns < 1) throw invalidRequest("numTurns must be >= 1");
    },
  }),
  /** Removes a turn and all later ones from the history; files stay as they are. */
  "thread/revert": request({ params: ThreadRevertParams, result: ThreadRevertResponse, order: byThread }),
  /** Lets the model summarize the history so far, to free space in its context window. */
  "thread/compact/start": request({ params: ThreadCompactStartParams, result: ThreadCompactStartResponse, order: byThread }),
};
