// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadItem } from "./ThreadItem";
import type { TurnError } from "./TurnError";
import type { TurnItemsView } from "./TurnItemsView";
import type { TurnStatus } from "./TurnStatus";

export type Turn = { id: string, items: Array<ThreadItem>, status: TurnStatus, completedAt?: number | null, durationMs?: number | null, error?: TurnError | null, itemsView?: TurnItemsView, rootTurnId?: string | null, startedAt?: number | null };
