// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";

export type ThreadNameUpdatedEvent = { type: "thread_name_updated", thread_id: ThreadId, thread_name?: string | null };
