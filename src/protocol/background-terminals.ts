/** Commands that keep running after their turn. Implemented in server/background-terminals.ts. */
import { array, boolean, type Infer, maybe, named, natural, number, object, string } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";
import { LegacyAppPathString } from "./item.ts";

export const ThreadBackgroundTerminalsCleanParams = named("ThreadBackgroundTerminalsCleanParams", () => object({ threadId: string() }));
export type ThreadBackgroundTerminalsCleanParams = Infer<typeof ThreadBackgroundTerminalsCleanParams>;

export const ThreadBackgroundTerminalsCleanResponse = named("ThreadBackgroundTerminalsCleanResponse", () => object({}));
export type ThreadBackgroundTerminalsCleanResponse = Infer<typeof ThreadBackgroundTerminalsCleanResponse>;

export const ThreadBackgroundTerminalsListParams = named("ThreadBackgroundTerminalsListParams", () =>
  object({ threadId: string(), cursor: maybe(string()), limit: maybe(natural()) }),
);
export type ThreadBackgroundTerminalsListParams = Infer<typeof ThreadBackgroundTerminalsListParams>;

export const ThreadBackgroundTerminalsListResponse = named("ThreadBackgroundTerminalsListResponse", () =>
  object({ data: array(ThreadBackgroundTerminal()), nextCursor: maybe(string()) }),
);
export type ThreadBackgroundTerminalsListResponse = Infer<typeof ThreadBackgroundTerminalsListResponse>;

export const ThreadBackgroundTerminalsTerminateParams = named("ThreadBackgroundTerminalsTerminateParams", () =>
  object({ processId: string(), threadId: string() }),
);
export type ThreadBackgroundTerminalsTerminateParams = Infer<typeof ThreadBackgroundTerminalsTerminateParams>;

export const ThreadBackgroundTerminalsTerminateResponse = named("ThreadBackgroundTerminalsTerminateResponse", () =>
  object({ terminated: boolean() }),
);
export type ThreadBackgroundTerminalsTerminateResponse = Infer<typeof ThreadBackgroundTerminalsTerminateResponse>;

export const ThreadBackgroundTerminal = named("ThreadBackgroundTerminal", () =>
  object({
    command: string(),
    cwd: LegacyAppPathString(),
    itemId: string(),
    processId: string(),
    cpuPercent: maybe(number()),
    osPid: maybe(natural()),
    rssKb: maybe(natural()),
  }),
);
export type ThreadBackgroundTerminal = Infer<typeof ThreadBackgroundTerminal>;

export const backgroundTerminalsRequests = {
  /** Ends all commands that a thread left running. */
  "thread/backgroundTerminals/clean": request({
    params: ThreadBackgroundTerminalsCleanParams,
    result: ThreadBackgroundTerminalsCleanResponse,
    order: byThread,
    experimental: true,
  }),
  /** Lists the commands that a thread left running. */
  "thread/backgroundTerminals/list": request({
    params: ThreadBackgroundTerminalsListParams,
    result: ThreadBackgroundTerminalsListResponse,
    experimental: true,
  }),
  /** Ends one of them. */
  "thread/backgroundTerminals/terminate": request({
    params: ThreadBackgroundTerminalsTerminateParams,
    result: ThreadBackgroundTerminalsTerminateResponse,
    order: byThread,
    experimental: true,
  }),
};
