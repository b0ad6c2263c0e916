// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";

export type CollabWaitingBeginEvent = { type: "collab_waiting_begin", call_id: string, sender_thread_id: ThreadId, receiver_thread_ids: Array<ThreadId> };
