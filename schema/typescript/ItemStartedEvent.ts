// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadId } from "./ThreadId";
import type { TurnItem } from "./TurnItem";

export type ItemStartedEvent = { type: "item_started", thread_id: ThreadId, turn_id: string, item: TurnItem };
