/** Read marks: from which turn on a thread is unread. Implemented in server/read-state.ts. */
import { type Infer, literals, named, object, string, union } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";
import { ThreadReadState } from "./thread.ts";

export const ThreadReadStateUpdateParams = named("ThreadReadStateUpdateParams", () =>
  object({ expectedRevision: string(), operation: ThreadReadStateOperation(), threadId: string() }),
);
export type ThreadReadStateUpdateParams = Infer<typeof ThreadReadStateUpdateParams>;

export const ThreadReadStateOperation = named("ThreadReadStateOperation", () =>
  union([object({ type: literals("read") }), object({ type: literals("unread") })]),
);
export type ThreadReadStateOperation = Infer<typeof ThreadReadStateOperation>;

export const ThreadReadStateUpdateResponse = named("ThreadReadStateUpdateResponse", () => object({ readState: ThreadReadState() }));
export type ThreadReadStateUpdateResponse = Infer<typeof ThreadReadStateUpdateResponse>;

export const threadReadStateRequests = {
  /** Marks a thread as read or unread, unless it has changed since the revision that the client saw. */
  "thread/readState/update": request({
    params: ThreadReadStateUpdateParams,
    result: ThreadReadStateUpdateResponse,
    experimental: true,
    order: byThread,
  }),
};
