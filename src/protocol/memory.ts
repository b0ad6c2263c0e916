/** Memories: notes from earlier threads that the model reads. Implemented in server/memory.ts. */
import { boolean, type Infer, literals, maybe, named, natural, object, string } from "../lib/schema.ts";
import { byThread, Empty, request } from "./define.ts";

export const MemoryStatusParams = named("MemoryStatusParams", () => object({ minConsolidatedThreads: maybe(natural()) }));
export type MemoryStatusParams = Infer<typeof MemoryStatusParams>;

export const MemoryStatusResponse = named("MemoryStatusResponse", () => object({ v2ConsolidatedThreads: natural(), v2Ready: boolean() }));
export type MemoryStatusResponse = Infer<typeof MemoryStatusResponse>;

export const MemoryResetResponse = named("MemoryResetResponse", () => object({}));
export type MemoryResetResponse = Infer<typeof MemoryResetResponse>;

export const ThreadMemoryModeSetParams = named("ThreadMemoryModeSetParams", () => object({ mode: ThreadMemoryMode(), threadId: string() }));
export type ThreadMemoryModeSetParams = Infer<typeof ThreadMemoryModeSetParams>;

export const ThreadMemoryMode = named("ThreadMemoryMode", () => literals("enabled", "disabled"));
export type ThreadMemoryMode = Infer<typeof ThreadMemoryMode>;

export const ThreadMemoryModeSetResponse = named("ThreadMemoryModeSetResponse", () => object({}));
export type ThreadMemoryModeSetResponse = Infer<typeof ThreadMemoryModeSetResponse>;

export const ThreadMemoryReadParams = named("ThreadMemoryReadParams", () => object({ threadId: string() }));
export type ThreadMemoryReadParams = Infer<typeof ThreadMemoryReadParams>;

export const ThreadMemoryReadResponse = named("ThreadMemoryReadResponse", () => object({ summary: maybe(string()) }));
export type ThreadMemoryReadResponse = Infer<typeof ThreadMemoryReadResponse>;

export const memoryRequests = {
  /** Whether there are memories. */
  "memory/status": request({ params: MemoryStatusParams, result: MemoryStatusResponse, experimental: true }),
  /** Deletes all memories. */
  "memory/reset": request({ params: Empty, result: MemoryResetResponse, experimental: true, order: () => "memory" }),
  /** Whether memories may be made from a thread. */
  "thread/memoryMode/set": request({
    params: ThreadMemoryModeSetParams,
    result: ThreadMemoryModeSetResponse,
    experimental: true,
    order: byThread,
  }),
  /** The summary of a thread in the memories, where there is one. */
  "thread/memory/read": request({ params: ThreadMemoryReadParams, result: ThreadMemoryReadResponse, experimental: true }),
};
