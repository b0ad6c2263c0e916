// Generated from the method tables of Parley's app-server. Do not edit.

import type { Thread } from "./Thread";
import type { ThreadReadState } from "./ThreadReadState";

export type ThreadListResponse = { data: Array<Thread>, backwardsCursor?: string | null, nextCursor?: string | null, readStates?: { [key in string]?: ThreadReadState } | null };
